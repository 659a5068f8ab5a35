// Has Node.js run TypeScript: types are blanked out, so that lines and columns stay.
import { register } from 'node:module'

register('./strip-types-hooks.mjs', import.meta.url)

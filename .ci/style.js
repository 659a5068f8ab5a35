// `npm run check`: the rules that need no types. Comments that turn off others are not in vain.
import { style } from '../eslint.config.js'

export default [...style, { linterOptions: { reportUnusedDisableDirectives: 'off' } }]

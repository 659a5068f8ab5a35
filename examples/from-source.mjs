// Runs an example of this repository without a build: node --import=./examples/from-source.mjs <its server.ts>. Types
// are blanked out, not checked, and the name of the package leads to its sources.
import { register } from 'node:module'
import { isMainThread } from 'node:worker_threads'
import '../test/helpers/strip-types.mjs'

// Threads of the server run this file again.
if (isMainThread) console.log('Loading the sources, without checking their types …')
register('./from-source-hooks.mjs', import.meta.url)

#!/usr/bin/env node
import '../../node-version.ts'
import module from 'node:module'
import { runCommand } from './run.ts'

// Node.js 22.8 and later keep the compiled code of the modules, so that the next start is faster.
const { enableCompileCache } = module as { enableCompileCache?: () => unknown }
enableCompileCache?.()

// Node.js 22 says of its SQLite that it is experimental. Whoever runs this command has not chosen it.
const listeners = process.listeners('warning')
process.removeAllListeners('warning')
process.on('warning', warning => {
  if (warning.name === 'ExperimentalWarning' && warning.message.includes('SQLite')) return
  for (const listener of listeners) listener(warning)
})

// The reader of a pipe, such as `head`, may have all that it wants before the end.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit()
})

const code = await runCommand(process.argv.slice(2), {
  out: text => { process.stdout.write(text) },
  error: text => { process.stderr.write(text) },
  isTerminal: process.stderr.isTTY
})
if (code !== undefined) {
  // A module that was imported may have started what would go on.
  process.stdout.write('', () => process.exit(code))
}

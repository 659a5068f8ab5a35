#!/usr/bin/env node
import { runCommand } from './run.ts'

// Node.js 22 says of its SQLite that it is experimental. Whoever runs this command has not chosen it.
const listeners = process.listeners('warning')
process.removeAllListeners('warning')
process.on('warning', warning => {
  if (warning.name === 'ExperimentalWarning' && warning.message.includes('SQLite')) return
  for (const listener of listeners) listener(warning)
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

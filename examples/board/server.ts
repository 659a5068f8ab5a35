import { buildBoard } from './app.ts'

const app = await buildBoard('examples/board')

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => { app.close().catch(console.error) })

const url = await app.listen({ port: Number(process.env['PORT'] ?? 3000), host: process.env['HOST'] ?? '127.0.0.1' })

console.log(`The board is served at ${url}. Open it in two windows. Ctrl-C stops it.`)

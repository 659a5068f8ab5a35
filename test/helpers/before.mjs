import { start } from './postgres-server.mjs'

await start()

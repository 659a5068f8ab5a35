import { stop } from './postgres-server.mjs'

await stop()

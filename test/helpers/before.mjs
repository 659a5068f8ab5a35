import { clearCosts } from './costs.mjs'
import { start } from './postgres-server.mjs'

clearCosts()
await start()

// npm run test:file -- FILE...: runs files of tests by plain node, one after the other, beside a PostgreSQL server of
// their own unless DATABASE_URL or WITHOUT_POSTGRES says otherwise.
import { spawnSync } from 'node:child_process'
import { start, stop } from './postgres-server.mjs'

const loader = new URL('strip-types.mjs', import.meta.url).href
const env = { TAP_TIMEOUT: '1800', ...process.env }
await start()
try {
  const ends = process.argv.slice(2).map(file =>
    spawnSync(process.execPath, [`--import=${loader}`, file], { env, stdio: 'inherit' }).status)
  process.exitCode = ends.every(status => status === 0) ? 0 : 1
} finally {
  await stop()
}

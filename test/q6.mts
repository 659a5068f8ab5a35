import { agentOf, serveSolarSystem } from './helpers/agents.ts'
import { createRequire } from 'node:module'
const { encode } = createRequire('/tmp/h6npm/')('gpt-tokenizer/encoding/o200k_base')
const app = await serveSolarSystem()
const { call, rpc } = agentOf(app)
const text = JSON.stringify((await rpc('tools/list')).result?.['tools'])
const d = (await call('describe')).text
console.log(encode(text).length, text.length, encode(d).length, d.length, d.split('\n').length, d.split('\n').map(l => encode(l).length), encode(d.replaceAll(/ \([^)]*\)/g, '')).length)
for (const url of process.argv.slice(2)) console.log(url, (await call('get', { url })).text.slice(0, 400))
await app.close()

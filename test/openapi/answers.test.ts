import fc, { runsOf, seed } from '../helpers/fast-check.ts'
import { test } from 'tap'
import { type Case, CaseArbitrary } from '../../lib/tools/testing/conformance/case.ts'
import { makeGenerator } from '../../lib/tools/testing/world/generator.ts'
import { generateRequest, makeClientState, recordAnswer } from '../../lib/tools/testing/requests/requests.ts'
import { openMemory, serve } from '../../lib/tools/testing/serving/serve.ts'
import { makeWorld } from '../../lib/tools/testing/world/world.ts'
import type { OpenApiDocument } from '../../lib/index.ts'
import { readDocument } from '../helpers/openapi.ts'

// docs/clients.md: OpenAPI

const numRuns = runsOf(20)

test('every answer to a generated request, and what it took of it, is as the document describes it', async t => {
  const counts = { described: 0 }
  for (const one of fc.sample(new CaseArbitrary(), { numRuns, seed })) {
    const wrong = await firstWrong(one, counts)
    if (wrong === undefined) continue
    t.fail(`FC_SEED=${seed}: ${wrong}`)
    return
  }
  t.ok(counts.described > numRuns * 10, `${counts.described} answers`)
})

/** Values that no type of the document describes: endless numbers, days and timestamps, and integers beyond 2^53. */
const exceptional = /"(?:NaN|-?Infinity|-?infinity|-?\d{16,})"/

/** Forms of answers are media types in a document. */
const toldKind = (kind: string | undefined) => kind === 'format' ? undefined : kind

/** Serves a generated world, sends its requests, and returns the first answer that its document does not describe. */
async function firstWrong ({ requests, ...choices }: Case, counts: { described: number }): Promise<string | undefined> {
  const world = makeWorld(choices)
  const served = await serve('memory()', openMemory(world.tables), world, false)
  try {
    const prefix = world.options.prefix ?? ''
    const { body } = await served.send({ method: 'GET', url: `${prefix}/openapi.json`, headers: {} })
    const document = readDocument(JSON.parse(body) as OpenApiDocument)
    const client = makeClientState()
    const { parameters } = served.api.options.syntax
    const kindOf = (name: string) => name === 'by' ? name : toldKind(parameters.get(name))
    for (const sequence of requests) {
      const request = generateRequest(makeGenerator(sequence), served.api, client)
      const answer = await served.send(request)
      recordAnswer(client, request, answer)
      const method = request.headers['x-http-method-override'] ?? request.method
      const found = document.find(method, request.url.slice(prefix.length))
      // The router answers itself where a URL spells the prefix in another way.
      if (found === undefined || answer.body.includes('"statusCode":404') || exceptional.test(answer.body)) continue
      counts.described++
      const wrong = document.wrong(found, answer.status, String(answer.headers['content-type']), answer.body)
      const untold = answer.status < 400 ? document.untold(found, request, answer, kindOf) : []
      if (untold.length > 0) return `${request.method} ${request.url}: ${found.path} takes no ${untold.join(', ')}`
      if (wrong !== undefined) {
        return `${request.method} ${request.url}: ${answer.status} ${answer.body}\n` +
          `${found.path} ${JSON.stringify(wrong)}`
      }
    }
    return undefined
  } finally {
    await served.close()
  }
}

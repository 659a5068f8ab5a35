import { test } from 'tap'
import { agentOf, serveSolarSystem } from '../helpers/agents.ts'

// docs/agents.md: What an agent reads. Questions that people ask of the solar system, each answered by one URL.

const questions: ReadonlyArray<readonly [question: string, url: string, data: unknown]> = [
  ['Which planets have most moons?', '/planets?fields=name,moons.count()&sort=moons.count() desc&limit=2',
    [{ name: 'Jupiter', moons: { count: 57 } }, { name: 'Saturn', moons: { count: 53 } }]],
  ['Which planets have a moon of more than 1,000 km?', '/planets?moons(mean_radius_km>1000)&fields=name',
    [{ name: 'Earth' }, { name: 'Jupiter' }, { name: 'Saturn' }, { name: 'Neptune' }]],
  ['Who discovered Titan?', '/moons/Titan?fields=discoverer(name)', { discoverer: { name: 'Christiaan Huygens' } }],
  ['How many missions failed?', '/missions/by_outcome?fields=count()',
    { failure: { count: 44 }, ongoing: { count: 23 }, partial: { count: 13 }, success: { count: 110 } }],
  ['How large is the largest moon, and how many are there?', '/moons?fields=count(),mean_radius_km.max()',
    [{ count: 166, mean_radius_km: { max: 2631.2 } }]],
  ['Who has been to Jupiter?', '/agencies?missions.planets.name=Jupiter&fields=name',
    [{ name: 'NASA' }, { name: 'ESA' }]],
  ['Which planet was discovered by whoever was born first?',
    '/planets?discoverer!=null&sort=discoverer.born&limit=1&fields=name',
    [{ name: 'Uranus' }]],
  ['Who discovered more than 20 moons?', '/astronomers?moons.count()>20&fields=name', [{ name: 'Scott Sheppard' }]]
]

test('each of these questions is answered by one get', async t => {
  const { call } = agentOf(await serveSolarSystem())
  for (const [question, url, data] of questions) {
    t.strictSame(((await call('get', { url })).data as { data: unknown }).data, data, question)
  }
})

test('the tools and the descriptions are short', async t => {
  const { call, rpc } = agentOf(await serveSolarSystem())
  const tools = JSON.stringify((await rpc('tools/list')).result?.['tools'])
  // Measured with o200k: a token has 3.6 characters of the tools, and 4.2 of the descriptions; these are 400 and 60.
  t.ok(tools.length < 1440, `${tools.length} characters`)
  const { text } = await call('describe')
  const words = text.replaceAll(/ \([^)]*\)/g, '')
  t.ok(words.length / text.split('\n').length < 240, `${words.length} characters without descriptions of schemas`)
})

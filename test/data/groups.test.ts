import { everySource } from '../helpers/every-source.ts'

// docs/own-code.md: Queries

everySource('own code has groups of items', async ({ t, app }) => {
  const artists = app.dataApi.collection('artists').asSystem()
  t.strictSame(await artists.groups({
    by: [{ startDate: 'year' }, { label: ['name'] }],
    count: true,
    avg: ['age'],
    where: { id: { lte: 4 } },
    having: { 'count()': { lt: 2 } },
    sort: ['-startDate.year()']
  }), [
    { startDate: { year: '2003-01-01' }, label: { name: 'Vision' }, count: 1, age: { avg: 23 } },
    { startDate: { year: '1968-01-01' }, label: { name: 'Spoon' }, count: 1, age: { avg: 58 } }
  ])
  t.strictSame(await artists.groups({ sum: ['age'], where: { id: 8 } }), [{ age: { sum: 1 } }])
  for (const [refused, code, message] of [
    [artists.groups({ by: ['age'] }), 'invalid_fields', /needs a function/],
    [artists.groups({ counts: true } as never), 'invalid_parameter', /'count'/],
    [artists.list({ fields: ['count()'] } as never), 'invalid_fields', /groups\(\)/]
  ] as const) t.match(await refused.then(() => undefined, (error: unknown) => error), { code, message })
})

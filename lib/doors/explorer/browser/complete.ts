import { all, make } from './page.ts'

/** A value to offer, and its words. */
type Offer = readonly [value: string, label?: string | undefined]

// One list, for the field that has the focus.
const list = make('datalist', { id: 'offers' })
document.body.append(list)

/** The number of the last event: what earlier ones have asked for is not offered. */
let turn = 0

/** Offers what a field can be completed with. */
export function complete ({ target }: Event): void {
  const own = ++turn
  const input = target as HTMLInputElement
  offersFor(input).then(offers => {
    if (!offers || own !== turn) return
    list.replaceChildren(...offers.map(([value, label = '']) => new Option(label, value)))
    input.setAttribute('list', list.id)
  }, () => {})
}

async function offersFor (input: HTMLInputElement): Promise<Offer[] | undefined> {
  if (input.id === 'query') return queryOffers(input.value)
  if (input.name === '_value') return (await valuesOf(input, input.value)).map(value => [value])
  if (!input.dataset['from']) return undefined
  // The last text is the name of an item, the others are its identifier.
  const items = (await ask(input.dataset['from'], input.value)).map(leaves)
  return items.map(texts => [texts.slice(0, -1).join() || texts.join(), texts[1] && texts.at(-1)])
}

/** Returns the names of fields that the last filter can begin with, then its operators, then its values. */
async function queryOffers (query: string): Promise<Offer[]> {
  const start = query.lastIndexOf('&') + 1
  const filter = query.slice(start)
  const offers: Offer[] = []
  const [menu] = all('[data-operators]')
  const operators = JSON.parse(menu?.dataset['operators'] ?? '{}') as Record<string, Offer[]>
  for (const field of all('[data-field]')) {
    const name = field.dataset['name'] ?? ''
    if (name.startsWith(filter)) offers.push([name])
    if (!filter.startsWith(name)) continue
    for (const [spelling, text] of operators[field.dataset['field'] ?? ''] ?? []) {
      const head = name + spelling
      if (head.startsWith(filter)) offers.push([head, text])
      // The values of a longer operator are not those of a shorter one.
      if (!filter.startsWith(head) || /^[=~*]/.test(filter.slice(head.length))) continue
      const values = await valuesOf(field, filter.slice(head.length))
      offers.push(...values.map(value => [head + value.replace(/[%&+#]/g, encodeURIComponent)] as const))
    }
  }
  return offers.map(([text, label]) => [query.slice(0, start) + text, label])
}

async function valuesOf ({ dataset: { values, from } }: HTMLElement, text: string): Promise<string[]> {
  if (values) return JSON.parse(values) as string[]
  return from ? [...new Set((await ask(from, text)).flatMap(leaves))] : []
}

/** Returns the scalars of a value, as texts. */
const leaves = (value: unknown): string[] =>
  value === null ? [] : typeof value === 'object' ? Object.values(value).flatMap(leaves) : [String(value)]

/** Asks the API for the items of a URL with a text, when typing pauses. Returns none if typing goes on. */
async function ask (url: string, text: string): Promise<unknown[]> {
  const own = turn
  await new Promise(resolve => setTimeout(resolve, 99))
  if (own !== turn) return []
  const quoted = encodeURIComponent(text.replace(/["\\]/g, '\\$&'))
  const answer = await fetch(url.replace('%7B%7D', quoted), { headers: { accept: 'application/json' } })
  const found = answer.ok ? await answer.json() as { items?: unknown[] } : {}
  return [found.items ?? found].flat()
}

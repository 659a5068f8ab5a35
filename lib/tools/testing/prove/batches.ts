import { operation, toOperation } from '../requests/batches.ts'
import { generateValue } from '../requests/bodies.ts'
import { fits } from '../world/examples.ts'
import type { ValueGenerator } from '../world/generator.ts'
import { encodeText, keySegment } from '../requests/resources.ts'
import type { Collection, StoredField } from '../../../core/model/model.ts'
import { memoryView } from '../../../core/sources/memory/view.ts'
import { rowFor, type View } from './sight.ts'
import { type Guess, ownCode, type Way } from './way.ts'
import type { ServedApi } from './world.ts'

/**
 * Returns the ways by batches that change an item, write or show another one, and change the item back. What runs in
 * between meets a state that no request alone leaves behind. `writes`: the ways to write of all collections.
 */
export function batchWays (
  { prefix, api: { options: { batch } } }: ServedApi, views: readonly View[], writes: readonly Way[], guess: Guess
): readonly Way[] {
  const movable = views.filter(({ collection: { strategies, stored } }) =>
    strategies.update.length > 0 && stored.some(field => field.writable))
  if (batch === undefined || batch.operations < 3) return []
  return movable.map(view => ({
    name: `${view.collection.name} changed and changed back in a batch`,
    weight: 3 * ownCode,
    make (generator) {
      const field = generator.of(view.collection.stored.filter(one => one.writable))
      const row = rowFor(generator, view) ?? {}
      const set = (json: string) => change(view, row, `{${JSON.stringify(field.name)}:${json}}`)
      const between = generator.chance(50)
        ? toOperation(generator.of(writes).make(generator), prefix)
        : shown(generator, movable, view.collection, row)
      const operations = [
        set(otherValue(generator, field, view, guess)),
        between,
        set(JSON.stringify(memoryView(view.collection).value(row, field)))
      ]
      const headers = { 'content-type': 'application/json' }
      return { method: 'POST', url: `${prefix}/`, headers, body: `[${operations.join(',')}]` }
    }
  }))
}

function change ({ collection }: View, row: object, body: string, others?: object): string {
  const { name, strategies: { update: [method = 'PATCH'] } } = collection
  return operation(method, `/${encodeText(name)}/${keySegment(row, collection)}`, body, others)
}

/** Returns an operation that changes nothing, and shows an item: if there is one, an item that refers to the row. */
function shown (generator: ValueGenerator, views: readonly View[], target: Collection, row: object): string {
  const referring = views.flatMap(view => {
    const fields = [...view.collection.properties.values()].flatMap(field =>
      field.kind === 'sub-item' && field.target.name === target.name ? [field] : [])
    const { rows, related } = memoryView(view.collection)
    return rows().filter(one => fields.some(field => related(one, field)[0] === row))
      .map(one => [view, one] as const)
  })
  const other = generator.of(views)
  const [view, item = {}] = generator.from(referring) ?? [other, rowFor(generator, other)]
  return change(view, item, '{}', { return: 'representation' })
}

/** Returns a value as JSON: most often that of another row. */
function otherValue (generator: ValueGenerator, field: StoredField, { collection }: View, guess: Guess): string {
  const { rows, value: valueIn } = memoryView(collection)
  const known = generator.from(rows().map(row => valueIn(row, field)))
  const value = generator.chance(70) ? known : guess(generator)
  return fits(field.schema, value) ? JSON.stringify(value) : generateValue(generator, field, collection)
}

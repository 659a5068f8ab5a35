import { contentTooLarge, DataApiError } from '../../errors/errors.ts'
import { atLine, inLines } from '../../errors/place.ts'
import type { Received } from '../../request/receive.ts'
import { slicesOf } from '../../request/lines.ts'
import type { Step } from '../plan.ts'
import type { ImportPlan } from './import.ts'
import type { NamedLines } from './merge.ts'
import { onLine, type ValueLines } from './value-lines.ts'
import type { Write } from './write.ts'

/** The items of an import that are written together. */
export interface Slice {
  readonly write: Write
  readonly count: number
  /** The path to an item that is left as it is if it exists. */
  readonly unless?: readonly Step[] | undefined
  /** The name of this item, and the read of its name and others that were read together with its line. */
  readonly named?: { readonly name: unknown, readonly among: NamedLines } | undefined
  /** Returns the error of the slice with its line. */
  errorOf (error: unknown): unknown
}

/** Reads and plans the slices of an import; one that is empty, for the path, where there is no line. */
export async function * slicesTo (
  plan: ImportPlan, received: Received, { slice: size, rows }: { readonly slice: number, readonly rows: number }
): AsyncGenerator<Slice> {
  const read = plan.reader()
  let count = 0
  for await (const slice of slicesOf(received.chunks(), plan.format, size)) {
    const lines = read(slice)
    count += lines.values.length
    if (count > rows) throw contentTooLarge(`The body has more than ${rows} items.`)
    if (plan.resolution === undefined) yield planSlice(plan, lines)
    else yield * planEach(plan, lines)
  }
  if (count === 0) yield planSlice(plan, read([]))
}

/**
 * Plans lines that may name existing items, in the order of these names: two imports of the same items in opposite
 * orders would wait for each other in a circle. Equal names stay in the order of the file.
 */
function planEach (plan: ImportPlan, { values, numbers }: ValueLines): readonly Slice[] {
  const among = plan.planNamed(values)
  const slices = values.map((value, index) => {
    const line = numbers[index] ?? 0
    const errorOf = (error: unknown) => error instanceof DataApiError ? atLine(error, line) : error
    const named = among && { among, name: among.nameOf(value) }
    const slice: Slice = { ...onLine(line, () => plan.planLine(value)), named, count: 1, errorOf }
    return { slice, order: plan.orderOf(value) }
  })
  return slices.toSorted((one, other) => one.order < other.order ? -1 : Number(one.order > other.order))
    .map(({ slice }) => slice)
}

function planSlice (plan: ImportPlan, { values, numbers }: ValueLines): Slice {
  const errorOf = (error: unknown) => inLines(error, numbers)
  try {
    return { write: plan.planLines(values), count: values.length, errorOf }
  } catch (error) {
    throw errorOf(error)
  }
}

import { type Describing, holds, type Need, type OnRelation, type OnRoot, type Piece } from './needs.ts'
import type {
  DocumentOperation, OperationMethod, Parameters, PathItem, SchemaReference, RequestBody, Response
} from './objects.ts'
import { idempotencyKey } from './parameters.ts'

/** An operation of a table. `answers`: by status, in the order of numbers. */
export interface OperationRow<On> {
  readonly needs?: readonly Need[]
  readonly id: Words
  readonly summary: Words
  readonly description: readonly Words[]
  readonly parameters?: ReadonlyArray<Piece<On, Parameters>>
  readonly body?: Piece<On, RequestBody>
  readonly answers: Readonly<Record<number | 'default', Piece<On, Response | SchemaReference>>>
}

/** A text, or that of the first need that is met. */
type Words = string | Readonly<Partial<Record<Need | 'otherwise', string>>>

/** The operations of a kind of resource, by method. */
export type OperationRows<On> =
  Readonly<Partial<Record<OperationMethod, OperationRow<On> | ReadonlyArray<OperationRow<On>>>>>

/** Returns the operations of the rows. `onOf`: returns what that of a method is on; undefined if it may not be used. */
export function writeOperations<On extends OnRoot> (
  rows: OperationRows<On>, onOf: (method: OperationMethod) => On | undefined, describing: Describing
): PathItem {
  return Object.fromEntries(Object.entries(rows).flatMap(([name, choices]) => {
    const method = name as OperationMethod
    const on = onOf(method)
    if (on === undefined) return []
    const row = [choices].flat().find(({ needs = [] }) => needs.every(need => holds(need, on, describing, method)))
    return row ? [[method, writeOperation(row, method, on, describing)]] : []
  }))
}

function writeOperation<On extends OnRoot & Partial<Pick<OnRelation, 'via'>>> (
  row: OperationRow<On>, method: OperationMethod, on: On, describing: Describing
): DocumentOperation {
  const blanks = blanksOf(method, on.tags[0] ?? '', on.via?.name)
  const write = (words: Words): string => chosen(words, need => holds(need, on, describing, method))
    .replaceAll(/\{(\w+)\}/g, (blank, name) => blanks[name] ?? blank)
  const taken = row.parameters?.flatMap(parameter => parameter(on, describing) ?? [])
  const key = method === 'get' || method === 'query' ? undefined : idempotencyKey(on, describing)
  const body = row.body?.(on, describing)
  const responses: Record<string, Response | SchemaReference> = {}
  for (const [status, answer] of Object.entries(row.answers)) {
    const made = answer(on, describing)
    if (made) responses[status] = made
  }
  return {
    operationId: describing.operationId(write(row.id)),
    summary: write(row.summary),
    description: row.description.map(write).filter(text => text !== '').join(' '),
    tags: on.tags,
    ...(taken ?? key) && { parameters: [...taken ?? [], ...key ?? []] },
    ...body && { requestBody: body },
    responses
  }
}

/** `part`: the name of the relation behind which it is, of an item of the collection `tag`. */
const blanksOf = (
  method: OperationMethod, tag: string, part: string | undefined
): Readonly<Record<string, string>> => ({
  method,
  tag,
  list: part === undefined ? tag : `${tag}_${part}`,
  item: `${tag}_${part ?? 'item'}`,
  in: part === undefined ? tag : `the ${part} of an item of ${tag}`,
  all: part === undefined ? tag : `the ${part} of ${tag}`,
  one: part === undefined ? `an item of ${tag}` : `the ${part} of an item of ${tag}`
})

function chosen (words: Words, holds: (need: Need) => boolean): string {
  if (typeof words === 'string') return words
  return Object.entries(words).find(([need]) => need === 'otherwise' || holds(need as Need))?.[1] ?? ''
}

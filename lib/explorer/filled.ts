import { DataApiError } from '../errors/errors.ts'
import { singleKey, uniques } from '../model/identifiers.ts'
import type { SubItemField } from '../model/model.ts'
import { syntaxOf } from '../plan/path/syntax.ts'
import type { Item } from '../plan/read/select.ts'
import { parameterOf } from '../request/syntax.ts'
import { formatPath, siteOf } from '../response/paths.ts'
import { isObject } from '../errors/is-object.ts'
import { type FormField, readText, type ValueField } from './fields.ts'
import { encodePart } from './rewrite.ts'
import type { Visit } from './visit.ts'

/** The members of a body that a form stands for, or the faults that keep it from being one. */
export interface Members {
  readonly body: Readonly<Record<string, unknown>>
  readonly faults: ReadonlyMap<string, readonly string[]>
}

/** Converts the texts of fields to the members of a body: of a new item, or those that change an item. */
export async function toMembers (
  fields: readonly FormField[], texts: ReadonlyMap<string, string>, isNew: boolean, visit: Visit
): Promise<Members> {
  const body: Record<string, unknown> = {}
  const faults = new Map<string, readonly string[]>()
  for (const one of fields) {
    const { name } = one.field
    const given = texts.get(name)?.replaceAll('\r\n', '\n')
    if (given === undefined) continue
    try {
      const value = one.field.kind === 'sub-item'
        ? await toReference(one.field, given, isNew, visit)
        : toValue(one.field, given, isNew)
      if (value !== undefined) body[name] = value
    } catch (error) {
      if (!(error instanceof DataApiError) || error.statusCode >= 500) throw error
      faults.set(name, [error.message])
    }
  }
  return { body, faults }
}

/** Returns the value of a text; undefined for a member to leave out. Throws malformed_body for JSON that is none. */
function toValue (field: ValueField, text: string, isNew: boolean): unknown {
  const { nullable, optional, schema, type } = field
  if (text === '') {
    if (isNew && (optional || schema.default !== undefined)) return undefined
    if (nullable) return null
    if (type.kind === 'string') return ''
    return isNew ? undefined : null
  }
  return type.kind === 'json' ? parseJson(text) : readText(field, text)
}

function parseJson (text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'it cannot be read'
    throw new DataApiError('malformed_body', `must be JSON: ${reason}`)
  }
}

/** Returns the member that names the item which a text identifies. Throws what a GET of that item throws. */
async function toReference ({ target }: SubItemField, text: string, isNew: boolean, visit: Visit): Promise<unknown> {
  if (text === '') return isNew ? undefined : null
  return findItem(target, text, visit)
}

/** Returns the members that name the item of a collection which any identifier of a URL leads to. */
export async function findItem (target: SubItemField['target'], text: string, visit: Visit): Promise<Item> {
  const fields = [target.key, ...uniques(target)].find(some => some.every(({ readable }) => readable)) ?? []
  const syntax = syntaxOf(target, visit.place.syntax)
  const names = fields.map(({ name }) => name).join([...syntax.fields][0] ?? ',')
  const parts = singleKey(target) === undefined ? text.split(',') : [text]
  const origin = { origin: () => '', root: visit.request.root }
  const path = formatPath(siteOf(origin, undefined), [[target.name], parts])
  const url = `${path}?${encodePart(`${parameterOf('fields', syntax)}=${names}`)}`
  const { body } = await visit.ask({ url })
  const found: unknown = typeof body === 'string' ? JSON.parse(body) : undefined
  return isObject(found) ? found : {}
}

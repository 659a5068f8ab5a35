import { createHash } from 'node:crypto'
import { isObject } from '../errors/is-object.ts'
import { type Current, type FormField, readText, textIn } from './fields.ts'
import { orElse } from './attempt.ts'

/**
 * The state of an item that a form was made of: its tag, and each value by the name of the field, as `=` and its text;
 * of a long text, as `#` and a digest.
 */
export interface Base { readonly tag: string | undefined, readonly was: Texts }

type Texts = ReadonlyMap<string, string>

/** Returns the base of a form that is made of an item. */
export const baseOf = (fields: readonly FormField[], current: Current | undefined): Base => ({
  tag: current?.tag,
  was: new Map(fields.map(one => [one.field.name, keptOf(one, textIn(one, current?.item))]))
})

const keptOf = (one: FormField, text: string) => text.length > longestKept ? `#${digestOf(one, text)}` : `=${text}`

// In characters.
const longestKept = 1000

/** Returns the base of a form that was sent. What the form does not tell is as in the item now. */
export function baseIn (form: Texts, fields: readonly FormField[], current: Current | undefined): Base {
  const sent = fields.flatMap(({ field: { name } }) => {
    const was = form.get(`_was.${name}`)
    return was === undefined ? [] : [[name, was] as const]
  })
  return { tag: form.get('_tag'), was: new Map([...baseOf(fields, current).was, ...sent]) }
}

/** Returns the texts of a form that was sent, with the stored texts where the person has chosen to keep them. */
export function chosenTexts (form: Texts, fields: readonly FormField[], current: Current | undefined): Texts {
  const kept = fields.filter(({ field: { name } }) => form.get(`_keep.${name}`) === 'theirs')
  return new Map([...form, ...kept.map(one => [one.field.name, textIn(one, current?.item)] as const)])
}

/** Returns true for a field whose text in a form stands for another value than the one that the form was made of. */
export function isChanged (one: FormField, texts: Texts, { was }: Base): boolean {
  const text = texts.get(one.field.name)
  const kept = was.get(one.field.name) ?? '#'
  return text !== undefined && digestOf(one, text) !== (kept[0] === '=' ? digestOf(one, kept.slice(1)) : kept.slice(1))
}

/** A form over a later state of its item, and who has changed a field since: the form alone, another alone, or both. */
export interface Merged {
  readonly texts: Texts
  readonly base: Base
  readonly changes: ReadonlyMap<FormField, 'mine' | 'theirs' | 'both'>
}

/** Merges a form with the item as it is now, field by field: what only one of the two has changed is as changed. */
export function merge (fields: readonly FormField[], form: Texts, base: Base, now: Current | undefined): Merged {
  const texts = new Map<string, string>()
  const changes = new Map<FormField, 'mine' | 'theirs' | 'both'>()
  const nowBase = baseOf(fields, now)
  for (const one of fields) {
    const { name } = one.field
    const stored = textIn(one, now?.item)
    const isTheirs = isChanged(one, new Map([[name, stored]]), base)
    const isMine = isChanged(one, form, base) && isChanged(one, form, nowBase)
    texts.set(name, isMine ? form.get(name) ?? '' : stored)
    if (isMine || isTheirs) changes.set(one, isMine ? isTheirs ? 'both' : 'mine' : 'theirs')
  }
  return { texts, base: nowBase, changes }
}

/** Returns a digest of the value that a text of a form stands for. Browsers write line breaks as CR LF. */
const digestOf = (one: FormField, text: string): string =>
  createHash('sha256').update(plainText(one, text.replaceAll(/\r\n?/g, '\n'))).digest('base64url').slice(0, 22)

function plainText ({ field }: FormField, text: string): string {
  if (text === '' || field.kind === 'sub-item') return text
  return field.type.kind === 'json' ? plainJson(text) : String(readText(field, text))
}

/** Returns JSON without spaces, its members sorted; a text that is no JSON, or nested too deeply, as it is. */
const plainJson = (text: string): string => orElse(() => JSON.stringify(sorted(JSON.parse(text))), text)

function sorted (value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.keys(value).sort().map(name => [name, sorted(value[name])]))
}

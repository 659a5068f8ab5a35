import { toName } from '../model/names.ts'
import { insteadOf } from '../request/syntax.ts'
import type { CollectionDesign, Design } from './scaffold/design.ts'
import { shellWord } from './scaffold/relations.ts'
import { syntaxOf } from './syntax.ts'
import { printable } from './terminal.ts'

const mostLines = 25
const mostRelations = 8

/** Tells what is served, what is not, and why. */
export function describeDesign (
  { collections, joins, omissions, secrets }: Design,
  { label, write }: { readonly label: string, readonly write: boolean }
): string {
  const served = collections.slice(0, mostLines).map(one => [wire(one.property), describeCollection(one)] as const)
  const yielded = collections.flatMap(describeYielded)
  const left = omissions.slice(0, mostLines).map(({ place, reason }) => [place, reason] as const)
  const paragraphs = [
    `${printable(label)}: ${count(collections.length, 'collection')}, ${write ? 'clients may write' : 'read-only'}`,
    table('Served', served, collections.length),
    yielded.length > 0 ? table('Fields named like parameters', yielded.slice(0, mostLines), yielded.length) : undefined,
    joins.length > 0 ? `Join tables, served as relations: ${list(joins)}` : undefined,
    left.length > 0 ? table('Not served', left, omissions.length) : undefined,
    secrets.length > 0
      ? `Hidden, as they look secret: ${secrets.map(printable).join(', ')}${advice(secrets)}`
      : undefined
  ]
  return `${paragraphs.filter(one => one !== undefined).join('\n\n')}\n`
}

const list = (names: readonly string[], most = mostLines) => [
  ...names.slice(0, most).map(printable), ...names.length > most ? [`… (${grouped(names.length)})`] : []
].join(', ')

const advice = ([first = '']: readonly string[]) => `\n(--show ${printable(shellWord(first))} shows one)`

const wire = (property: string) => toName('snake_case', property)

function describeCollection ({ fields }: CollectionDesign): string {
  const scalars = fields.filter(field => field.kind === 'scalar' && field.flags.readable === true)
  const relations = fields.filter(field => field.kind !== 'scalar').map(({ property }) => wire(property))
  return `${count(scalars.length, 'field')}${relations.length > 0 ? `; ${list(relations, mostRelations)}` : ''}`
}

/** Tells of the parameters whose names are those of fields here, and how they are written. */
function describeYielded (collection: CollectionDesign): ReadonlyArray<readonly [string, string]> {
  const syntax = syntaxOf(collection)
  return [...syntax.here?.yielded.keys() ?? []].map(name => {
    const text = `${name}= filters by the field; the parameter is written ${insteadOf(name, syntax)}=`
    return [`${wire(collection.property)}.${name}`, text]
  })
}

const count = (number: number, what: string) => `${grouped(number)} ${what}${number === 1 ? '' : 's'}`

// As toLocaleString('en'), which takes 20 ms at its first call.
const grouped = (number: number) => String(number).replaceAll(/\B(?=(?:\d{3})+$)/g, ',')

/** `all`: how many rows there are; only the first are given. */
function table (title: string, rows: ReadonlyArray<readonly [string, string]>, all: number): string {
  const shown = rows.map(([name, text]) => [printable(name), printable(text)] as const)
  const width = Math.min(30, Math.max(...shown.map(([name]) => name.length)))
  const lines = shown.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`)
  const more = all > rows.length ? [`  … and ${grouped(all - rows.length)} more`] : []
  return [`${title}:`, ...lines, ...more].join('\n')
}

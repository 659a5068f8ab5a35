import { printable } from '../../core/errors/printable.ts'
import { toName } from '../../core/model/names.ts'
import type { CollectionDesign, Design } from './scaffold/design.ts'
import { propertyOf } from './scaffold/naming.ts'
import { parametersOf } from './parameters.ts'
import { shellWord } from './terminal.ts'

const mostLines = 25
const mostRelations = 8

/** Tells what is served, what is not, and why. `all`: the lists are whole, however long. */
export function describeDesign (
  { collections, joins, omissions, secrets, partlySeen }: Design,
  { label, write, all = false }: { readonly label: string, readonly write: boolean, readonly all?: boolean }
): string {
  const [lines, relations] = all ? [Infinity, Infinity] : [mostLines, mostRelations]
  const served = collections.map(one => [wire(one.property), describeCollection(one, relations)] as const)
  const left = omissions.map(({ place, reason }) => [place, reason] as const)
  const paragraphs = [
    `${printable(label)}: ${count(collections.length, 'collection')}, ${write ? 'clients may write' : 'read-only'}`,
    table('Served', served, lines),
    table('Renamed, as the name is taken', collections.flatMap(describeRenamed), lines),
    table('Fields named like parameters', collections.flatMap(describeYielded), lines),
    joins.length > 0 ? `Join tables, served as relations: ${list(joins, lines)}` : undefined,
    table('Not served', left, lines),
    partlySeen.length > 0
      ? `Not looked at to the end, so that types are those of the first rows: ${list(partlySeen, lines)}\n` +
        '(--look 60 looks for a minute)'
      : undefined,
    secrets.length > 0
      ? `Hidden, as they look secret: ${secrets.map(printable).join(', ')}${advice(secrets)}`
      : undefined
  ]
  return `${paragraphs.filter(one => one !== undefined).join('\n\n')}\n`
}

type Rows = ReadonlyArray<readonly [string, string]>

const list = (names: readonly string[], most: number) => [
  ...names.slice(0, most).map(printable), ...names.length > most ? [`… (${grouped(names.length)})`] : []
].join(', ')

const advice = ([first = '']: readonly string[]) => `\n(--show ${printable(shellWord(first))} shows one)`

const wire = (property: string) => toName('snake_case', property)

function describeCollection ({ fields }: CollectionDesign, mostRelations: number): string {
  const scalars = fields.filter(field => field.kind === 'scalar' && field.flags.readable === true)
  const relations = fields.filter(field => field.kind !== 'scalar').map(({ property }) => wire(property))
  return `${count(scalars.length, 'field')}${relations.length > 0 ? `; ${list(relations, mostRelations)}` : ''}`
}

/** Tells the tables and columns that have another name than theirs, since an earlier one has it. */
function describeRenamed ({ property, table: { name }, fields }: CollectionDesign): Rows {
  const renamed = (place: string, own: string, given: string) =>
    wire(propertyOf(own)) === wire(given) ? [] : [[place, `is ${wire(given)}`] as const]
  return [
    ...renamed(name, name, property),
    ...fields.flatMap(field => field.kind === 'scalar' && field.flags.readable === true
      ? renamed(`${name}.${field.column}`, field.column, field.property)
      : [])
  ]
}

/** Tells of the parameters whose names are those of fields here, and how they are written. */
function describeYielded (collection: CollectionDesign): Rows {
  return [...parametersOf(collection).instead].map(([name, instead]) => {
    const text = `${name}= filters by the field; the parameter is written ${instead}=`
    return [`${wire(collection.property)}.${name}`, text]
  })
}

const count = (number: number, what: string) => `${grouped(number)} ${what}${number === 1 ? '' : 's'}`

// As toLocaleString('en'), which takes 20 ms at its first call.
const grouped = (number: number) => String(number).replaceAll(/\B(?=(?:\d{3})+$)/g, ',')

function table (title: string, rows: Rows, most: number): string | undefined {
  if (rows.length === 0) return undefined
  const shown = rows.slice(0, most).map(([name, text]) => [printable(name), printable(text)] as const)
  const width = Math.min(30, Math.max(...shown.map(([name]) => name.length)))
  const lines = shown.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`)
  const more = rows.length > most ? [`  … and ${grouped(rows.length - most)} more; --all lists them`] : []
  return [`${title}:`, ...lines, ...more].join('\n')
}

import { toName } from '../model/names.ts'
import type { CollectionDesign, Design } from '../scaffold/design.ts'
import { shellWord } from '../scaffold/keys.ts'
import { printable } from './terminal.ts'

const mostLines = 25

/** Tells what is served, what is not, and why. */
export function describeDesign (
  { collections, joins, omissions, secrets }: Design,
  { label, write }: { readonly label: string, readonly write: boolean }
): string {
  const served = collections.map(one => [wire(one.property), describeCollection(one)] as const)
  const left = omissions.map(({ place, reason }) => [place, reason] as const)
  const paragraphs = [
    `${printable(label)}: ${count(collections.length, 'collection')}, ${write ? 'clients may write' : 'read-only'}`,
    table('Served', served),
    joins.length > 0 ? `Join tables, served as relations: ${list(joins)}` : undefined,
    left.length > 0 ? table('Not served', left) : undefined,
    secrets.length > 0
      ? `Hidden, as they look secret: ${secrets.map(printable).join(', ')}${advice(secrets)}`
      : undefined
  ]
  return `${paragraphs.filter(one => one !== undefined).join('\n\n')}\n`
}

const list = (names: readonly string[]) => [
  ...names.slice(0, mostLines).map(printable), ...names.length > mostLines ? ['…'] : []
].join(', ')

const advice = ([first = '']: readonly string[]) => `\n(--show ${printable(shellWord(first))} shows one)`

const wire = (property: string) => toName('snake_case', property)

function describeCollection ({ fields }: CollectionDesign): string {
  const scalars = fields.filter(field => field.kind === 'scalar' && field.flags.readable === true)
  const relations = fields.filter(field => field.kind !== 'scalar').map(({ property }) => wire(property))
  return `${count(scalars.length, 'field')}${relations.length > 0 ? `; ${relations.join(', ')}` : ''}`
}

const count = (number: number, what: string) => `${number.toLocaleString('en')} ${what}${number === 1 ? '' : 's'}`

function table (title: string, rows: ReadonlyArray<readonly [string, string]>): string {
  const shown = rows.slice(0, mostLines).map(([name, text]) => [printable(name), printable(text)] as const)
  const width = Math.min(30, Math.max(...shown.map(([name]) => name.length)))
  const lines = shown.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`)
  const more = rows.length > mostLines ? [`  … and ${(rows.length - mostLines).toLocaleString('en')} more`] : []
  return [`${title}:`, ...lines, ...more].join('\n')
}

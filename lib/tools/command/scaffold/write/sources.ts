import { memberName, quoteLiteral } from '../../../../doors/documents/types/typescript-source.ts'
import { toName } from '../../../../core/model/names.ts'
import { behaviourOf, isCall, isList, type CodePart, type CodeParts, schemaCall, tableArguments } from '../declare.ts'
import type { CollectionDesign, Design } from '../design.ts'

/** The names of the schemas in the source, by the property of the collection. */
type SchemaNames = ReadonlyMap<string, string>

/** Names that the files use for something else. */
const taken: readonly string[] = ['Type', 'SubItem', 'SubCollection']

export function schemaNames ({ collections }: Design): SchemaNames {
  const used = new Set(taken)
  return new Map(collections.map(({ property }) => {
    // Identifiers of letters that look alike, or change places, are not for source.
    const plain = toName('PascalCase', property).replaceAll(/[^A-Za-z0-9_]/g, '')
    const name = /^[A-Za-z]/.test(plain) ? plain : `Table${plain}`
    let unique = name
    for (let number = 2; used.has(unique); number++) unique = number === 2 ? `${name}Schema` : `${name}${number}`
    used.add(unique)
    return [property, unique]
  }))
}

export function writeSchemas ({ collections }: Design, names: SchemaNames): string {
  const kinds = new Set(collections.flatMap(({ fields }) => fields.map(({ kind }) => kind)))
  const relations = [
    ...kinds.has('sub-collection') ? ['SubCollection'] : [], ...kinds.has('sub-item') ? ['SubItem'] : []
  ]
  const imports = [
    "import { Type } from '@sinclair/typebox'",
    ...relations.length > 0 ? [`import { ${relations.join(', ')} } from 'fastify-data-api'`] : []
  ]
  const schemas = collections.map(one => `export const ${names.get(one.property) ?? ''} = ${writeSchema(one)}`)
  return `${imports.join('\n')}

// A field without the flag readable is never shown. Nothing here is writable: add writable: true to the fields that
// clients may write (README.md). Sub-collections are hidden: they are shown where a path or a selection names them.

${schemas.join('\n\n')}
`
}

function writeSchema (design: CollectionDesign): string {
  const [properties = {}, ...options] = schemaCall(design).args
  return `Type.Object(${[printMembers(properties as CodeParts), ...options.map(one => print(one))].join(', ')})`
}

export function writeCollections ({ collections }: Design, names: SchemaNames): string {
  const imported = collections.map(({ property }) => names.get(property) ?? '')
  const members = collections.map(design => {
    const table = `db.table(${tableArguments(design).map(part => print(part, 4)).join(', ')})`
    const behaviour = Object.entries(behaviourOf(design)).map(([name, part]) => `${name}: ${print(part, 4)}`)
    const whole = [...behaviour, `source: ${table}`]
    const head = `  ${memberName(design.property)}: collection(${names.get(design.property) ?? ''}, `
    const short = `${head}{ ${whole.join(', ')} })`
    return short.length <= 120 ? short : `${head}{\n    ${whole.join(',\n    ')}\n  })`
  })
  return `import { collection } from 'fastify-data-api'
import { db } from './database.ts'
import {
  ${imported.join(',\n  ')}
} from './schemas.ts'

// By the name of the collection in URLs. Behaviour goes beside the source: setters, hooks, rules, scopes.
export const collections = {
${members.join(',\n')}
}
`
}

const mostColumns = 110

/** `indent`: the spaces before its lines. `lead`: what stands before it. */
function print (part: CodePart, indent = 0, lead = 0): string {
  const short = printOnOneLine(part)
  return short.length + indent + lead <= mostColumns ? short : printOnLines(part, indent)
}

function printOnOneLine (part: CodePart): string {
  if (typeof part === 'string') return quoteLiteral(part)
  if (typeof part !== 'object') return String(part)
  if (isList(part)) return `[${part.map(printOnOneLine).join(', ')}]`
  if (isCall(part)) return `${part.call}(${part.args.map(printOnOneLine).join(', ')})`
  const members = Object.entries(part).map(([name, value]) => `${memberName(name)}: ${printOnOneLine(value)}`)
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}

function printOnLines (part: CodePart, indent: number): string {
  if (typeof part !== 'object') return printOnOneLine(part)
  if (isCall(part)) {
    // The last argument holds most: its members get the lines.
    const args = part.args.map((one, index) =>
      index === part.args.length - 1 ? printOnLines(one, indent) : print(one, indent))
    return `${part.call}(${args.join(', ')})`
  }
  const inner = indent + 2
  const lines = isList(part)
    ? part.map(one => print(one, inner))
    : Object.entries(part).map(([name, value]) => printMember(name, value, inner))
  const [open, close] = isList(part) ? ['[', ']'] : ['{', '}']
  return `${open}\n${lines.map(line => `${' '.repeat(inner)}${line}`).join(',\n')}\n${' '.repeat(indent)}${close}`
}

/** Returns the members of an object as source, each on lines of its own. */
const printMembers = (parts: Readonly<Record<string, CodePart>>): string =>
  `{\n${Object.entries(parts).map(([name, part]) => `  ${printMember(name, part, 2)}`).join(',\n')}\n}`

function printMember (name: string, part: CodePart, indent: number): string {
  const member = memberName(name)
  return `${member}: ${print(part, indent, member.length + 2)}`
}

import { toName } from '../../../model/names.ts'
import { behaviourOf, type Parts, schemaCall, tableArguments } from '../calls.ts'
import type { CollectionDesign, Design } from '../design.ts'
import { memberName } from '../../../declare/typescript-source.ts'
import { print, printMembers } from './print.ts'

/** The names of the schemas in the source, by the property of the collection. */
export type SchemaNames = ReadonlyMap<string, string>

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

/** Returns the file of the schemas. */
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
  return `Type.Object(${[printMembers(properties as Parts), ...options.map(one => print(one))].join(', ')})`
}

/** Returns the file of the collections. */
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

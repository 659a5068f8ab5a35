import { type Declared, isOptional } from '../collection.ts'
import { DeclarationError } from '../errors.ts'
import type { CompileOptions } from './compile.ts'
import { type Scalars, placeOf } from './fields.ts'
import type { Identifier, SpecialIdentifier } from './model.ts'
import { toName } from './names.ts'
import { describeValues } from './values.ts'

/** Fields flagged `identifier`, then lookups, each in the order declared (docs/http.md: Identifiers). */
export function compileIdentifiers (collection: string, declared: Declared, scalars: Scalars, { naming }: CompileOptions): readonly Identifier[] {
  const identifiers: Identifier[] = []
  for (const field of scalars.values()) {
    if (field.kind === 'stored' && field.identifier) identifiers.push({ kind: 'field', name: field.name, field })
  }
  // A field that is the application's own has no name on the wire to collide with.
  const names = new Set([...scalars.values()].filter(field => field.readable).map(field => field.name))
  for (const [property, identifier] of Object.entries(declared.identifiers)) {
    if (identifier.kind === 'special') continue
    const name = toName(naming, property)
    if (names.has(name)) throw new DeclarationError(`${placeOf(collection, property)}: a lookup and a field have the same name '${name}' in URLs`)
    const described = describeValues(identifier.type, isOptional(identifier.type))
    if (described === undefined || described.type.operators.size === 0) throw new DeclarationError(`collection '${collection}', identifier '${property}': values of its type cannot be used in a URL`)
    // The value is converted by this very type before it is handed over.
    identifiers.push({ kind: 'lookup', name, type: described.type, find: identifier.find })
  }
  return identifiers
}

/** Identifiers that match one exact segment. */
export function compileSpecials (collection: string, declared: Declared): readonly SpecialIdentifier[] {
  const specials = new Map<string, SpecialIdentifier>()
  for (const [property, identifier] of Object.entries(declared.identifiers)) {
    if (identifier.kind !== 'special') continue
    const { segment, find } = identifier
    if (segment === '') throw new DeclarationError(`collection '${collection}', identifier '${property}': its segment must not be empty`)
    if (specials.has(segment)) throw new DeclarationError(`collection '${collection}', identifier '${property}': another identifier already matches '${segment}'`)
    specials.set(segment, { segment, find })
  }
  return [...specials.values()]
}

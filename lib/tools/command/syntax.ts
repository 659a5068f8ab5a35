import { toName } from '../../core/model/names.ts'
import { compileSyntax, type Syntax, yieldTo } from '../../core/request/syntax.ts'
import type { CollectionDesign, FieldDesign } from './scaffold/design.ts'

/** Returns the syntax of query strings at the URLs of a collection. */
export const syntaxOf = ({ fields }: CollectionDesign): Syntax =>
  yieldTo(new Set(fields.filter(takesFilters).map(({ property }) => toName('snake_case', property))), api)

const api = compileSyntax({})

const takesFilters = (field: FieldDesign) => field.kind === 'scalar' && field.flags.readable === true &&
  field.flags.filterable !== false && field.type.kind !== 'json' && field.type.kind !== 'list'

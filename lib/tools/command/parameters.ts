import { toName } from '../../core/model/names.ts'
import { parametersBeside } from '../../core/request/syntax.ts'
import type { CollectionDesign, FieldDesign } from './scaffold/design.ts'

/** Returns the parameters at the URLs of a collection. */
export const parametersOf = ({ fields }: CollectionDesign) =>
  parametersBeside(new Set(fields.filter(takesFilters).map(({ property }) => toName('snake_case', property))))

const takesFilters = (field: FieldDesign) => field.kind === 'scalar' && field.flags.readable === true &&
  field.flags.filterable !== false && field.type.kind !== 'json' && field.type.kind !== 'list'

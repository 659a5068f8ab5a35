import { placeOf } from '../../../model/fields.ts'
import type { Collection, Field } from '../../../model/model.ts'
import type { Finding } from '../../catalog-check.ts'
import { sourceOf, tableOf } from '../source.ts'
import { showTable } from '../table-name.ts'

/** Returns a finding that begins with the place of a field or collection. */
export const fault = (place: string, message: string): Finding => ({ kind: 'fault', message: `${place}: ${message}` })
export const warning = (place: string, message: string): Finding =>
  ({ kind: 'warning', message: `${place}: ${message}` })

/** Returns the beginning of a message about a field of a collection. */
export const placeOfField = ({ property }: Collection, field: Pick<Field, 'property'>) =>
  placeOf(property, field.property)

/** Returns the name of the column that stores a property. */
export const columnName = (collection: Collection, { property }: Pick<Field, 'property'>) =>
  sourceOf(collection).column(property)

/** Returns a column with its table, as messages name it. */
export const showColumn = (collection: Collection, name: string) => `'${showTable(tableOf(collection))}.${name}'`

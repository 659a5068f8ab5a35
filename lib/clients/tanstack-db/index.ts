export { dataApiCollectionOptions } from './options.ts'
export type { DataApiCollectionConfig, DataApiCollectionOptions, LiveOptions, RowOf } from './types.ts'
export { writeTransaction } from './writes.ts'

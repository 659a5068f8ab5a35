export { createDataProvider, type DataProviderOptions } from './provider.ts'
export type {
  CallOptions, DataProvider, Id, List, ListCall, Many, ManyCall, One, OneCall, RecordOf, ReferenceCall, ResourceOptions
} from './records.ts'

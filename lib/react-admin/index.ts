export { createDataProvider, type DataProviderOptions } from './provider.ts'
export type { ResourceOptions } from './resource.ts'
export type * from './types.ts'

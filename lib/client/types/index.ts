export type * from './api.ts'
export type * from './client.ts'
export type * from './fields.ts'
export type * from './where.ts'

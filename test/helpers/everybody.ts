import type { OperationRules } from '../../lib/index.ts'

/** The rules of an API whose test is about others: what no collection says of an operation, everybody may do. */
export const everybody: Readonly<OperationRules> = { read: true, create: true, update: true, delete: true }

/**
 * The characters that a nested item counts at least against the longest answer, where it becomes an object in this
 * process before it becomes text (docs/limits.md). An object of two members takes some 100 bytes.
 */
export const objectWeight = 128

/** The names of an item's properties. */
export type Properties<I> = keyof I & string

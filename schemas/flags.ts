/**
 * What a field of a collection's schema may say of itself, as TypeBox schema options. Nothing is shown or taken that is not flagged
 * (docs/http.md: What an item shows).
 */
export interface FieldFlags {
  /** Shown to clients, and open to filters, sorts and selections. Default false. */
  readable?: boolean
  /** Accepted from clients in bodies. Default false. */
  writable?: boolean
  /** Readable, but shown only when named in the selection or navigated to. Default false. */
  hidden?: boolean
  /** Part of an item's listed form: in a listing and in everything embedded. Default false; identifiers always are. */
  listed?: boolean
  /** Its values find an item in a URL, and are unique in the collection. The first one declared is the collection's key. Default false. */
  identifier?: boolean
  /** Whether clients may filter by it. Default true for readable fields. */
  filterable?: boolean
  /** Whether clients may sort by it. Default true for readable fields. */
  sortable?: boolean
  /**
   * An integer that counts the item's changes: one is added with each write, and the item's tag is made of it instead of its content
   * (docs/http.md: Conditional requests). Must be readable and not writable. Default false.
   */
  version?: boolean
}

declare module '@sinclair/typebox' {
  // Merged into TypeBox's own options, so that an editor completes the flags and checks their types.
  interface SchemaOptions extends FieldFlags {}
}

/** The names of the flags, for telling them apart from JSON Schema's own keywords. */
export const flagNames = ['readable', 'writable', 'hidden', 'listed', 'identifier', 'filterable', 'sortable', 'version'] as const satisfies readonly (keyof FieldFlags)[]

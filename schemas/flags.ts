/**
 * The flags of a field, as options of its TypeBox schema. A field without flags is neither shown nor accepted
 * (docs/http.md: What an item shows).
 */
export interface FieldFlags {
  /** Shown to clients, and open to filters, sorts and selections. Default false. */
  readable?: boolean
  /** Accepted from clients in bodies. Default false. */
  writable?: boolean
  /** Readable, but shown only when named in the selection or navigated to. Default false. */
  hidden?: boolean
  /**
   * Part of an item's listed form, which listings and embedded items show. Default false; keys and identifiers always
   * are.
   */
  listed?: boolean
  /**
   * The field's values are unique in the collection, and a URL can name an item by them. The first identifier declared
   * is the collection's key, unless the behaviour names another `key`. Default false.
   */
  identifier?: boolean
  /** Whether clients may filter by it. Default true for readable fields. */
  filterable?: boolean
  /** Whether clients may sort by it. Default true for readable fields. */
  sortable?: boolean
  /**
   * Whether functions of groups may tell its sum, mean, least and greatest value. Default true for readable fields by
   * which clients may filter and sort.
   */
  aggregatable?: boolean
  /**
   * Clients often filter or sort by it: `npx fastify-data-api sql tables` prints an index of it (docs/databases.md:
   * Migrating). Default false; identifiers and foreign keys have one.
   */
  indexed?: boolean
  /**
   * The field is an integer that counts the item's changes: each write adds one. The item's ETag is made of it instead
   * of its content (docs/http.md: Conditional requests). Must be readable and not writable. Default false.
   */
  version?: boolean
  /** People know the items by its values: pages show items of this collection by them. Default: what is named so. */
  naming?: boolean
}

/**
 * What a schema may say for people, beside the `title` and the `description` of JSON Schema (docs/declaring.md: Words
 * for people). None of it changes an answer.
 */
export interface Words {
  /** The heading under which pages show the field among the others of its item, or the collection in the directory. */
  group?: string
  /** The unit of the field's values, such as `km`. */
  unit?: string
  /** Of a collection: queries that people use often, by name. Pages show them as tabs, the first one first. */
  views?: Readonly<Record<string, string>>
}

declare module '@sinclair/typebox' {
  // Merged into TypeBox's own options, so that an editor completes the flags and checks their types.
  interface SchemaOptions extends FieldFlags, Words {}
}

/** The names of the flags, which Ajv must know as keywords. */
export const flagNames = [
  'readable', 'writable', 'hidden', 'listed', 'identifier', 'filterable', 'sortable', 'aggregatable', 'indexed',
  'version', 'naming'
] as const satisfies readonly (keyof FieldFlags)[]

/** The names of the words of fields, which Ajv must know as keywords. */
export const wordNames = ['group', 'unit'] as const satisfies readonly (keyof Words)[]

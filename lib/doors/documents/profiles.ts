/** The readers that a document is made for (docs/clients.md: Profiles). */
export type ProfileName = 'docs' | 'types' | 'tools'

/** The parts that a profile's document has. */
export interface Profile {
  /** True if operations have the parameter that selects fields, so that no member of an answer is certain. */
  readonly selection: boolean
  /** True if each operator of each field has a parameter of its own; otherwise `where` alone filters. */
  readonly namedFilters: boolean
  /** True for the values of single fields and for dictionaries. */
  readonly scalars: boolean
  /** True for the sub-collections and sub-items of an item. */
  readonly relations: boolean
  /** True if an update has an operation for each method that it can use; otherwise for the first. */
  readonly allUpdates: boolean
  /** True for pages by number, and for the headers of preferences and preconditions. */
  readonly details: boolean
  /** True for streams in NDJSON and CSV. */
  readonly streams: boolean
  /** True if names of members and parameters must match what interfaces of language models take. */
  readonly plainNames: boolean
  /** True if collections share more: parameters list no fields, and the body of a creation refers to an update's. */
  readonly compact: boolean
}

export const profiles = {
  docs: {
    selection: true,
    namedFilters: true,
    scalars: true,
    relations: true,
    allUpdates: true,
    details: true,
    streams: true,
    plainNames: false,
    compact: false
  },
  types: {
    selection: false,
    namedFilters: true,
    scalars: false,
    relations: true,
    allUpdates: false,
    details: true,
    streams: false,
    plainNames: false,
    compact: false
  },
  tools: {
    selection: true,
    namedFilters: false,
    scalars: false,
    relations: false,
    allUpdates: false,
    details: false,
    streams: false,
    plainNames: true,
    compact: false
  }
} as const satisfies Record<ProfileName, Profile>

/** The profiles of an API of more collections than `mostInFull`. */
export const largeProfiles: Readonly<Record<ProfileName, Profile>> = {
  docs: {
    ...profiles.docs,
    namedFilters: false,
    scalars: false,
    relations: false,
    allUpdates: false,
    compact: true
  },
  types: { ...profiles.types, namedFilters: false },
  tools: profiles.tools
}

/** A page of documentation shows so many collections with all their paths. */
export const mostInFull = 100

/** The names of all profiles. */
export const profileNames = Object.keys(profiles) as readonly ProfileName[]

/** Returns true for a name that the function-calling interfaces of language models take as a parameter's. */
export const isPlainName = (name: string): boolean => /^[A-Za-z0-9_.-]{1,64}$/.test(name)

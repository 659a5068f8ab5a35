/** The readers that a document is made for (docs/clients.md: Profiles). */
export type ProfileName = 'docs' | 'types' | 'tools'

/** The parts that a profile's document has. Those that are not named it has not. */
export interface Profile {
  /** True if operations have the parameter that selects fields, so that no member of an answer is certain. */
  readonly selection?: true
  /** True if each operator of each field has a parameter of its own; otherwise `where` alone filters. */
  readonly namedFilters?: true
  /** True for the directory, and for the links that lead from answers to operations. */
  readonly directory?: true
  readonly batches?: true
  /** True for the values of single fields and for dictionaries. */
  readonly scalars?: true
  /** True for the sub-collections and sub-items of an item. */
  readonly relations?: true
  /** True if an update has an operation for each method that it can use; otherwise for the last. */
  readonly allUpdates?: true
  /** True if merge patches are bodies of updates beside others. */
  readonly merges?: true
  /** True for pages by number, and for the headers of preferences and preconditions. */
  readonly details?: true
  /** True for streams in NDJSON and CSV. */
  readonly streams?: true
  /** True if names of members and parameters must match what interfaces of language models take. */
  readonly plainNames?: true
  /** True if collections share more: parameters list no fields, and the body of a creation refers to an update's. */
  readonly compact?: true
}

export const profiles: Readonly<Record<ProfileName, Profile>> = {
  docs: {
    selection: true,
    directory: true,
    batches: true,
    namedFilters: true,
    scalars: true,
    relations: true,
    allUpdates: true,
    merges: true,
    details: true,
    streams: true
  },
  types: { namedFilters: true, relations: true, details: true },
  tools: { selection: true, batches: true, plainNames: true }
}

/** The profiles of an API of more collections than `mostInFull`. */
export const largeProfiles: Readonly<Record<ProfileName, Profile>> = {
  docs: { selection: true, directory: true, batches: true, details: true, streams: true, compact: true },
  types: { relations: true, details: true },
  tools: profiles.tools
}

/** A page of documentation shows so many collections with all their paths. */
export const mostInFull = 100

export const profileNames = Object.keys(profiles) as readonly ProfileName[]

/** Returns true for a name that the profile can use: interfaces of language models take no others. */
export const isNameable = ({ name }: { readonly name: string }, { plainNames }: Profile): boolean =>
  plainNames !== true || /^[A-Za-z0-9_.-]{1,64}$/.test(name)

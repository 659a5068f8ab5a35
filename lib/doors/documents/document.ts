import type { DocumentOptions, OpenApiOptions } from '../../../schemas/openapi.ts'
import type { CollectionView, Face, Sight } from '../../core/api/face.ts'
import { mediaTypes } from '../../core/plan/media.ts'
import { componentOf, makeComponents } from './components.ts'
import type { Describing } from './needs.ts'
import type { Document, OperationLink, PathItem, SchemaReference, Response, Schema } from './objects.ts'
import type { Parts } from './parts.ts'
import { collectionPaths, rootPaths } from './paths.ts'
import { isNameable, largeProfiles, mostInFull, type ProfileName, profiles } from './profiles.ts'
import { sharedResponses } from './responses.ts'
import { inVersion, newest } from './versions.ts'

/** What a document is made from. */
export interface Described {
  readonly face: Face
  /** What the application tells of its servers. */
  readonly more: Omit<OpenApiOptions, 'info'>
  /** The URL of the API's root. */
  readonly root: string
}

/**
 * Makes the OpenAPI document of what somebody sees, part by part. It is made of what plans requests: the forms of
 * items, the methods of resources, and the members that a new item must have.
 */
export function * documentParts (
  { face, more: { servers, security, securitySchemes }, root }: Described, sight: Sight, options: DocumentOptions = {}
): Parts<Document> {
  const { profile = 'docs', version, collections: wanted, componentPrefix: prefix = '' } = options
  const collections = sight.collections
    .filter(one => isNameable(one, profiles[profile]) && (wanted?.includes(one.name) ?? true))
  const isLarge = collections.length > mostInFull
  const components = makeComponents(face.collections, prefix)
  const describing: Describing = {
    face,
    sight,
    profile: (isLarge ? largeProfiles : profiles)[profile],
    components,
    operationId: uniqueNames(options.operationIds)
  }
  const hasDirectory = describing.profile.directory === true
  const paths: Record<string, PathItem> = { ...rootPaths(hasDirectory ? [directoryTag] : [], describing) }
  for (const [name, response] of Object.entries(sharedResponses(describing))) {
    components.responses[prefix + name] = response
  }
  for (const collection of collections) {
    const own = collectionPaths(collection, describing)
    if (hasDirectory) addLinks(own, components.responses)
    Object.assign(paths, own)
    yield
  }
  while (components.makeNext()) yield
  const { schemas, responses, parameters } = components
  const document: Document = {
    openapi: newest,
    info: infoOf(face.info, isLarge ? cuts[profile] : undefined),
    servers: servers ?? [{ url: root === '' ? '/' : root }],
    tags: tagsOf(collections, hasDirectory),
    paths,
    components: { schemas, responses, parameters, ...securitySchemes && { securitySchemes } },
    ...security && { security }
  }
  return yield * inVersion(document, version, prefix)
}

/** A collection can be called as the tag of the directory is. */
function tagsOf (collections: readonly CollectionView[], hasDirectory: boolean): Document['tags'] {
  const own = collections.map(({ name, description = `The collection \`${name}\`.` }) => ({ name, description }))
  return !hasDirectory || own.some(({ name }) => name === directoryTag)
    ? own
    : [{ name: directoryTag, description: 'The names of all collections.' }, ...own]
}

const directoryTag = 'directory'

/** The application's words of a large API do not replace what its document leaves out. */
function infoOf (info: Face['info'], cut: string | undefined): Document['info'] {
  const { title, version, ...others } = info
  const description = cut === undefined ? `${advice} ${levels}` : advice
  const all = { title, version, description, ...others }
  return cut === undefined ? all : { ...all, description: `${all.description}\n\n${cut}` }
}

const advice = 'The path of an item goes on through its relations to any depth, such as ' +
  '`/artists/3/albums/7/tracks`.'

const levels = 'This document describes the first two levels.'

const full = '`openapi.json?collections=` and their names, separated by commas, gives the full document of some.'

/** What a large document has, where it has less than a small one. */
const cuts: Readonly<Partial<Record<ProfileName, string>>> = {
  docs: `Of more than ${mostInFull} collections, it has the lists and items alone: without filters in other ` +
    `parameters than \`where\`, relations, single fields, dictionaries and PUT. ${full}`,
  types: `Of more than ${mostInFull} collections, it has filters in the parameter \`where\` alone. ${full}`
}

/** Returns a function that makes names of at most 64 characters, each only once. */
function uniqueNames (taken: readonly string[] = []): (name: string) => string {
  const used = new Set(taken)
  return name => {
    const plain = name.replaceAll(/[^A-Za-z0-9_-]/gu, '_').slice(0, 60)
    let unique = plain
    for (let count = 2; used.has(unique); count++) unique = `${plain}_${count}`
    used.add(unique)
    return unique
  }
}

type Paths = Readonly<Record<string, PathItem>>

/**
 * Adds the links of answers to the responses of a collection: from an item to its relations, and from a creation to the
 * new item. `paths`: those of the collection.
 */
function addLinks (paths: Paths, responses: Record<string, Response>): void {
  for (const [path, { get, post }] of Object.entries(paths)) {
    if (path.endsWith(identifier)) add(get?.responses['200'], () => relationsOf(path, paths))
    else add(post?.responses['201'], response => createdIn(path, response, paths))
  }

  function add (reference: Response | SchemaReference | undefined, linksOf: (response: Response) => Links): void {
    if (reference === undefined || !('$ref' in reference)) return
    const name = componentOf(reference)
    const response = responses[name]
    const links = response === undefined ? {} : linksOf(response)
    if (response !== undefined && Object.keys(links).length > 0) responses[name] = { ...response, links }
  }
}

const identifier = '/{identifier}'

type Links = Readonly<Record<string, OperationLink>>

/** The paths of relations have no other parameter than the item's identifier. */
function relationsOf (item: string, paths: Paths): Links {
  return Object.fromEntries(Object.entries(paths).flatMap(([path, { get }]) => {
    const name = path.startsWith(`${item}/`) ? path.slice(item.length + 1) : ''
    if (get === undefined || name === '' || name.includes('{')) return []
    const { operationId, summary } = get
    const parameters = { identifier: '$request.path.identifier' }
    return [[linkName(name), { operationId, description: summary, parameters }]]
  }))
}

/** The new item is at its collection, whose path is that of the operation, if the acknowledgement has its key. */
function createdIn (list: string, response: Response, paths: Paths): Links {
  const get = paths[list + identifier]?.get
  if (get === undefined || !showsId(response)) return {}
  const { operationId, summary } = get
  return { item: { operationId, description: summary, parameters: { identifier: '$response.body#/id' } } }
}

/** The acknowledgement is the only form of the answer, or the first. */
function showsId ({ content }: Response): boolean {
  const schema = content?.[mediaTypes.json]?.schema ?? {}
  const [acknowledgement = schema] = (schema['anyOf'] ?? []) as readonly Schema[]
  return Object.hasOwn(acknowledgement['properties'] ?? {}, 'id')
}

/** OpenAPI limits the names of links to ASCII. */
const linkName = (segment: string): string => segment.replaceAll(/[^A-Za-z0-9._-]/g, '_')

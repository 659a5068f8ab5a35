import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Api } from '../core/api/answer.ts'
import { makeChecks, unchecked } from '../core/api/checks.ts'
import type { Face } from '../core/api/face.ts'
import { collectionsOf, makeKeys } from '../core/api/keys.ts'
import { compileOptions, type DataApiOptions, type Options } from '../core/api/options.ts'
import type { RequestFacts } from '../core/api/request-facts.ts'
import { makeFace } from '../core/api/serve.ts'
import { makeOwn } from '../core/api/own/serve.ts'
import { dataFor, makeData } from '../doors/own-code/data.ts'
import type { Data } from '../core/declare/data.ts'
import { isAbandonment } from '../core/errors/abandoned.ts'
import { type DataApiError, DeclarationError } from '../core/errors/errors.ts'
import { logError } from '../core/errors/rejections.ts'
import { LiveDocuments } from '../doors/live/documents.ts'
import { checkColumns } from '../core/model/columns.ts'
import { compileModel } from '../core/model/compile.ts'
import { checkDeclarations } from '../core/model/declarations.ts'
import { exposedNames, type Model } from '../core/model/model.ts'
import { checkRules } from '../core/model/rules.ts'
import { type Documents, makeDocuments } from '../doors/documents/documents.ts'
import { writeTypes } from '../doors/documents/types/module.ts'
import { takesProblem } from '../core/plan/media.ts'
import { collectionAt } from '../core/plan/path/walk.ts'
import { Receiver } from '../core/request/receive.ts'
import { checkIgnored } from '../core/request/syntax.ts'
import { removeLeftFiles } from '../core/request/temporary-file.ts'
import type { Answer } from '../core/response/answer.ts'
import { renderFailure } from '../core/response/failure.ts'
import { makeCallers } from '../core/rules/caller.ts'
import { closeToAgents } from '../core/rules/doors.ts'
import { refuseSilence, withSaidRules } from '../core/rules/said.ts'
import { cleaningOf } from '../core/run/key-cleaning.ts'
import { databaseOf } from '../core/sources/source.ts'
import { countStatements, failedStatement } from '../core/sources/statement-events.ts'
import { makeClosing } from './closing.ts'
import { warnOfCors } from './cors.ts'
import { checkDocumentOptions } from './document-options.ts'
import { addDocumentRoute } from './document-route.ts'
import { isErrorStatus, toDataApiError } from './failures.ts'
import { addAgentRoutes } from './mcp-route.ts'
import { makePages, type ServedPages, reservedByPages } from './pages-route.ts'
import { addRegistration, type DataApi } from './registrations.ts'
import { isAnswered, makeReplies, type Replies, watchPayloads } from './replies.ts'
import { addBodyParser, addRoutes, isSafeRequest, refuseOverride } from './routes.ts'
import { standIns } from './stand-ins.ts'

/** Compiles the declarations and serves them. Throws a DeclarationError for a mistake in a declaration or option. */
export async function register (app: FastifyInstance, asked: DataApiOptions): Promise<void> {
  const options = compileOptions(asked)
  const { naming, pages, requestStrategies, syntax } = options
  const compiling = { naming, pages, requestStrategies, reserved: await reservedByPages(options) }
  checkDeclarations(asked.collections)
  const other = standIns.getStore()?.collections?.(asked.collections)
  const given = other === undefined ? asked : { ...asked, collections: other }
  const model = compileModel(given.collections, compiling)
  checkCompiled(given.collections, model, syntax)
  const declared = closeToAgents(withSaidRules(given.collections, options.rules), options.mcp)
  const callers = makeCallers(declared, model, one => compileModel(one, { ...compiling, whole: model }))
  if (!app.hasRequestDecorator('dataApi')) app.decorateRequest('dataApi', undefined)
  const keys = makeKeys(declared, model, callers.personal, options)
  const checks = makeChecks([...model.collections.values(), ...collectionsOf(keys)], model, app.log)
  const own = makeOwn({ declared, named: asked.collections, model, options, checks, log: app.log }, dataFor)
  await app.register(async scope => {
    const payloads = watchPayloads(scope)
    const streams = () => given.rawStreams === true || !payloads.observed
    const writes = { ...options.writes, bytes: scope.initialConfig.bodyLimit ?? Infinity }
    const capable = { ...options, writes, streams, isLive: livenessOf(options, model, streams) }
    const receiver = options.imports && new Receiver(options.imports)
    const api = standingIn({ model, options: capable, callers, checks, own, keys, receiver }, scope.prefix)
    measure(scope, options)
    const face = makeFace(api)
    const documents = makeDocuments(face, baseOf(options, scope), options.openapi ?? {})
    const live = serveLive(scope, face, api.options)
    decorate(app, scope.prefix, model, documents, { ...makeData(own.face), live: () => live?.numbers() })
    const closing = makeClosing(scope, options.closeGrace)
    const replies = makeReplies(scope, api, payloads, closing)
    const pages = await makePages(scope, face, api.options.explorer)
    addHooks(scope, options, replies, pages)
    addBodyParser(scope, options.writes, options.imports)
    const serving = addRoutes(scope, { api, replies, pages, live, closing })
    if (standIns.getStore() === undefined) warnOfCors(scope)
    await addAgentRoutes(scope, serving, face, (thrown, request) => failing(thrown, request, plainly(options)))
    if (options.openapi !== undefined) addDocumentRoute(scope, face, documents, serving)
    // A source that stands in takes changes that the application's own may refuse.
    startAndEnd(scope, api, other === undefined ? given.collections : {})
    if (receiver !== undefined) scope.addHook('onReady', removeLeftFiles)
  }, { prefix: options.prefix })
}

/** Returns the registration, as it differs for who stands in for its data. */
function standingIn ({ model, options, callers, checks, own, keys, receiver }: Api, prefix: string): Api {
  const differing = standIns.getStore()?.registering(prefix)
  const api: Api = {
    model,
    options: differing?.options?.(options) ?? options,
    callers: differing?.callers?.(callers) ?? callers,
    checks: differing?.checks === false ? unchecked : checks,
    own,
    keys,
    receiver
  }
  differing?.registered(api)
  return api
}

function checkCompiled (declared: DataApiOptions['collections'], model: Model, syntax: Options['syntax']): void {
  checkRules(declared)
  checkColumns(declared)
  checkIgnored(exposedNames(model), syntax)
}

/** Prepares the scope for the times of statements and requests. */
function measure (scope: FastifyInstance, { slowStatements, responseContent: { serverTiming } }: Options): void {
  if (slowStatements !== undefined || serverTiming) scope.addHook('onClose', countStatements())
  // Fastify measures a reply's `elapsedTime` only for an application that logs requests or has such a hook.
  if (serverTiming) scope.addHook('onResponse', (_request, _reply, done) => { done() })
}

const baseOf = ({ site }: Options, { prefix }: FastifyInstance) =>
  site === undefined ? prefix : site.origin + site.root

/** Returns a function that tells which resources are live. Throws a DeclarationError for an unknown collection. */
function livenessOf ({ live }: Options, { collections }: Model, streams: () => boolean): Options['isLive'] {
  const known = [...collections.values()].map(({ property }) => property)
  const unknown = live?.collections?.find(name => !known.includes(name))
  if (unknown !== undefined) {
    throw new DeclarationError(`option 'live.collections': there is no collection '${unknown}'`)
  }
  const names = live && new Set(live.collections ?? known)
  return resource => {
    if (names === undefined || !streams()) return false
    const collection = collectionAt(resource)
    if (collection === undefined) return live?.collections === undefined
    return names.has(collection.property) && databaseOf(collection).watch !== undefined
  }
}

/** Returns the live documents of a scope; undefined if there are none. */
function serveLive (scope: FastifyInstance, face: Face, options: Options): LiveDocuments | undefined {
  if (options.live === undefined) return undefined
  const { connectionTimeout = 0 } = scope.initialConfig
  if (connectionTimeout > 0 && options.live.heartbeat >= connectionTimeout) {
    scope.log.warn("option 'live.heartbeat': the server's connectionTimeout is not longer, so it ends idle streams")
  }
  const documents = new LiveDocuments(face, options.live, (thrown, request) => failing(thrown, request, options))
  scope.addHook('preClose', done => {
    documents.close()
    done()
  })
  return documents
}

/**
 * Checks the declarations when the application starts, and has what is old deleted while it runs. `declared`: those
 * that may not be silent.
 */
function startAndEnd (
  scope: FastifyInstance, { checks, keys, model, options: { rules } }: Api, declared: DataApiOptions['collections']
): void {
  const cleanings = keys?.tables.map(cleaningOf) ?? []
  const databases = new Set([...model.collections.values()].map(databaseOf))
  let ends: ReadonlyArray<() => void> = []
  scope.addHook('onReady', async () => {
    await checks.start(patienceOf(scope))
    refuseSilence({ declared, rules }, model)
    for (const one of cleanings) one.cleanIfDue(scope.log)
    ends = [...databases].map(({ clean }) => clean?.() ?? (() => {}))
  })
  scope.addHook('onClose', async () => {
    for (const end of ends) end()
    await Promise.all(cleanings.map(one => one.end()))
  })
}

// In milliseconds. Fastify limits the time of its hooks: half of it, but not much longer than a connection takes.
const patienceOf = ({ initialConfig: { pluginTimeout = 10_000 } }: FastifyInstance) =>
  pluginTimeout === 0 ? 6000 : Math.min(6000, pluginTimeout / 2)

function decorate (
  app: FastifyInstance, prefix: string, model: Model, documents: Documents, more: Data & Pick<DataApi, 'live'>
): void {
  const registrations = registrationsOf(app)
  if (registrations.has(prefix)) {
    throw new DeclarationError(`option 'prefix': another API is already registered under '${prefix}'`)
  }
  const collections = [...model.collections.keys()]
  const openapi: DataApi['openapi'] = options =>
    documents.whole(options && checkDocumentOptions(options, collections))
  const types = () => writeTypes(documents.whole({ profile: 'types' }))
  const registered: DataApi = { prefix, collections, registrations, openapi, types, ...more }
  registrations.set(prefix, registered)
  addRegistration(app, registered)
  if (!app.hasDecorator('dataApi')) app.decorate('dataApi', registered)
}

/** The map that the registrations of a scope share. */
const registrationsOf = (app: FastifyInstance) =>
  app.hasDecorator('dataApi') ? app.dataApi.registrations as Map<string, DataApi> : new Map<string, DataApi>()

/** Answers every error that is thrown in this scope, and refuses methods in disguise. Changes nothing outside it. */
function addHooks (
  scope: FastifyInstance, options: Options, replies: Replies, pages: ServedPages | undefined
): void {
  scope.addHook('onRequest', refuseOverride)
  scope.setErrorHandler((thrown, request, reply) => {
    const status = !isAnswered(reply) && isErrorStatus(reply.statusCode) ? reply.statusCode : undefined
    const error = toDataApiError(thrown, { writing: !isSafeRequest(request), status })
    const failure = answerFailure(error, request, options)
    replies.fail(reply, pages === undefined ? failure : pages.fail(request, failure))
  })
}

/** Errors as agents are told them. */
const plainly = ({ responseContent, ...options }: Options): Options =>
  ({ ...options, responseContent: { ...responseContent, errors: 'plain', developerErrors: false } })

/** Returns the answer for what was thrown when the reply had begun, or when the error is a part of it. */
const failing = (thrown: unknown, request: object, options: Options): Answer =>
  answerFailure(toDataApiError(thrown, { writing: false, status: undefined }), request as FastifyRequest, options)

function answerFailure (error: DataApiError, request: FastifyRequest, { responseContent }: Options): Answer {
  logFailure(error, request)
  const form = takesProblem(request.headers.accept) ? 'problem' : responseContent.errors
  return renderFailure(error, { ...responseContent, form })
}

/**
 * Logs an error that the client cannot explain: a fault of the server, and a refusal that names no field. Not that of a
 * client that has left.
 */
function logFailure (error: DataApiError, { dataApi, log }: FastifyRequest): void {
  if (isAbandonment(error)) return
  const { collection, kind }: Partial<RequestFacts> = dataApi ?? {}
  const isFault = error.statusCode >= 500
  if (!isFault && !isUnexplained(error)) return
  const facts = { err: error.cause ?? error, collection, kind }
  if (isFault) logError(log, facts, error.message)
  else log.info(facts, error.message)
  const statement = failedStatement(error)
  if (statement !== undefined) log.debug({ collection, kind, statement }, 'the statement that failed')
}

const isUnexplained = ({ code, facts: { fields }, cause }: DataApiError) =>
  fields?.length === 0 && cause !== undefined && (code === 'constraint' || code === 'duplicate' || code === 'reference')

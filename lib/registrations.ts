import type { FastifyInstance } from 'fastify'
import { memoize } from './memoize.ts'
import type { DataApi } from './register.ts'

/** A registration, and the instance on which the plugin was registered. */
interface Registered { readonly scope: FastifyInstance, readonly api: DataApi }

/** The registrations of each server, in their order. */
const registeredOn = memoize((_server: object): Registered[] => [])

/** Remembers a registration, so that enclosing contexts find it. */
export function addRegistration (scope: FastifyInstance, api: DataApi): void {
  registeredOn(scope.server).push({ scope, api })
}

/**
 * Returns the registrations that an instance has, with those of the contexts that it encapsulates, which it has no
 * decorators of, and of those that enclose it. Other contexts belong to other plugins.
 */
export function registrationsIn (app: FastifyInstance): readonly DataApi[] {
  return registeredOn(app.server)
    .filter(({ scope }) => app === scope || isWithin(scope, app) || isWithin(app, scope))
    .map(({ api }) => api)
}

// An encapsulated instance inherits from the one that encloses it.
const isWithin = (inner: FastifyInstance, outer: FastifyInstance) => Object.prototype.isPrototypeOf.call(outer, inner)

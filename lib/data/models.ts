import type { Declared } from '../declare/collection.ts'
import { type CompileOptions, compileModel } from '../model/compile.ts'
import type { Model } from '../model/model.ts'
import { always } from '../plan/predicates.ts'
import { type Caller, type Callers, makeCallers } from '../rules/caller.ts'

/** The callers of own code. Their models have the names of the declarations, and are compiled at their first use. */
export interface OwnCallers {
  /** Returns the callers of requests: rules, scopes and flags hold. */
  requests (): Callers
  /** Returns the application itself: it may do everything. */
  system (): Caller
}

/** Prepares the callers of own code for the declarations of one registration. */
export function makeOwnCallers (
  declared: Readonly<Record<string, Declared>>, options: Pick<CompileOptions, 'naming' | 'pages'>
): OwnCallers {
  const compile = (of: Readonly<Record<string, Declared>>, more: Pick<CompileOptions, 'own' | 'whole'>): Model =>
    compileModel(of, { ...options, reserved: new Map(), ...more })
  let requests: Callers | undefined
  let system: Caller | undefined
  return {
    requests () {
      if (requests !== undefined) return requests
      const whole = compile(declared, { own: 'flagged' })
      requests = makeCallers(declared, whole, denied => compile(denied, { own: 'flagged', whole }))
      return requests
    },
    system () {
      system ??= {
        model: compile(declared, { own: 'open' }),
        guarded: false,
        scope: () => always,
        denial: () => undefined,
        writeDenial: () => undefined
      }
      return system
    }
  }
}

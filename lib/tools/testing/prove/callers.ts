import type { Api } from '../../../core/api/answer.ts'

/** A caller, with the facts that the application knows about it. */
export interface KnownCaller { readonly caller: Awaited<ReturnType<Api['callers']['of']>>, readonly facts: unknown }

/** Returns the callers; each that is asked for is noted. */
export function watch (callers: Api['callers'], known: Map<string, KnownCaller>): Api['callers'] {
  const { personal, all, differ, anyone } = callers
  return {
    personal,
    all,
    differ,
    anyone,
    once: () => watch(callers.once(), known),
    async of (name, context) {
      const caller = await callers.of(name, context)
      if (name !== undefined) known.set(name, { caller, facts: factsOf(context) })
      return caller
    }
  }
}

/** Returns what the application knows of the caller; undefined where it cannot tell. */
function factsOf (context: { readonly caller: unknown }): unknown {
  try {
    return context.caller
  } catch {
    return undefined
  }
}

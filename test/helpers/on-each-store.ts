import { type Test, test } from 'tap'
import { type Behaviour, collection } from '../../lib/index.ts'
import { Artist, shop } from '../fixtures/shop.ts'
import { openStore, serve, type Served, type Store, type StoreKind, storeKinds } from './on-socket.ts'
import type { Collections } from './sources.ts'

// The shop on a socket, over each kind of store, with an application's own hooks and setters.

export type Own = Pick<Behaviour<typeof Artist>, 'hooks' | 'setters'>

export const shopWith = (own: Own): Collections =>
  source => ({ ...shop()(source), artists: collection(Artist, { source: source('artists'), ...own }) })

export const artist = (name: string, more: object = {}) => ({ name, email: null, ...more })

/** The answer where the application fails. */
export const unexpected = { error: 'internal', message: 'Something went wrong on the server.' }

interface Stage {
  readonly t: Test
  readonly kind: StoreKind
  readonly store: Store
  readonly logged: readonly string[]
  start (own: Own): Promise<Served>
}

/** Runs a test on a socket over each kind of store, none of which holds anything yet. */
export function onEach (kinds: readonly StoreKind[], name: string, run: (stage: Stage) => Promise<void>): void {
  for (const kind of storeKinds(kinds)) {
    test(`${name} (${kind})`, async t => {
      const logged: string[] = []
      const store = await openStore(kind, t)
      let served: Served | undefined
      const start = async (own: Own) =>
        (served = await serve(shopWith(own), store, { requestStrategies: { upsert: true, delete: true } }, logged))
      try {
        await run({ t, kind, store, logged, start })
      } finally {
        await served?.close()
      }
    })
  }
}

export const everyKind = ['memory', 'sqlite file', 'sqlite :memory:', 'postgres'] as const

/** A door that is closed until it is opened. */
function door () {
  let open = () => {}
  const opened = new Promise<void>(resolve => { open = resolve })
  return { open, opened }
}

/** Hooks in which the creation of one artist waits at a door. */
export function waiting (name: string, then: () => void = () => {}) {
  const [reached, exit] = [door(), door()]
  const creating = async (artist: { name?: string }) => {
    if (artist.name !== name) return
    reached.open()
    await exit.opened
    then()
  }
  return { reached: reached.opened, leave: exit.open, own: { hooks: { creating } } }
}

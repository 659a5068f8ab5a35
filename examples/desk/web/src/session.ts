import { useSyncExternalStore } from 'react'

// Who is logged in, and whether the server answers. A request that is refused with 401 waits until somebody has logged
// in again, and is sent once more: so the page goes on where it was.

export const server: string = import.meta.env['VITE_SERVER'] ?? 'http://localhost:3000'

interface Session {
  readonly token: string
  readonly person: { readonly id: number, readonly name: string, readonly role: 'agent' | 'lead' }
}

interface State {
  readonly session: Session | undefined
  /** True while a login is needed. */
  readonly isAsking: boolean
  /** False after a request that the server did not answer. */
  readonly isConnected: boolean
}

const stored = () => JSON.parse(localStorage.getItem('session') ?? 'null') as Session | undefined ?? undefined

let state: State = { session: stored(), isAsking: stored() === undefined, isConnected: navigator.onLine }
const listeners = new Set<() => void>()

function set (changes: Partial<State>): void {
  const isSame = Object.entries(changes).every(([name, value]) => state[name as keyof State] === value)
  if (isSame) return
  state = { ...state, ...changes }
  for (const listener of listeners) listener()
}

function subscribe (listener: () => void): () => void {
  listeners.add(listener)
  return () => { listeners.delete(listener) }
}

export const currentSession = (): Session | undefined => state.session
export const useSession = (): State => useSyncExternalStore(subscribe, () => state)

addEventListener('offline', () => { set({ isConnected: false }) })
// Streams may have outlived it. A request that fails tells otherwise.
addEventListener('online', () => { set({ isConnected: true }) })
// Somebody has logged in or out in another window.
addEventListener('storage', ({ key }) => { if (key === 'session') enter(stored()) })

/** Sends a request with the token of now. It is the `fetch` of the clients. */
export async function send (url: string, init: RequestInit = {}): Promise<Response> {
  const used = state.session?.token
  const response = await request(url, init, used)
  if (response.status !== 401) return response
  // Another request may have asked for the login already.
  if (state.session?.token === used) set({ isAsking: true })
  await untilLoggedIn(init.signal)
  return send(url, init)
}

async function request (url: string, init: RequestInit, token: string | undefined): Promise<Response> {
  const headers = { ...init.headers as Record<string, string>, ...token && { authorization: `Bearer ${token}` } }
  try {
    const response = await fetch(url, { ...init, headers })
    // A proxy may have answered for the server, and an answer may have been on its way when the network went.
    set({ isConnected: navigator.onLine && ![502, 503, 504].includes(response.status) })
    return response
  } catch (error) {
    if (init.signal?.aborted !== true) set({ isConnected: false })
    throw error
  }
}

/** Waits for a login, or until the request is aborted: then `fetch` rejects. */
const untilLoggedIn = (signal: AbortSignal | null | undefined): Promise<void> => new Promise(resolve => {
  const stop = subscribe(check)
  signal?.addEventListener('abort', end)
  check()
  function check () { if (!state.isAsking) end() }
  function end () {
    stop()
    signal?.removeEventListener('abort', end)
    resolve()
  }
})

/** Logs in. Throws an error with the message of the server. */
export async function logIn (email: string, password: string): Promise<void> {
  const response = await request(`${server}/login`, {
    method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ email, password })
  }, undefined)
  const body = await response.json() as Session & { readonly message: string }
  if (!response.ok) throw new Error(body.message)
  localStorage.setItem('session', JSON.stringify(body))
  enter(body)
}

/** Ends the session on the server, and forgets all that was read. */
export async function logOut (): Promise<void> {
  await request(`${server}/logout`, { method: 'POST' }, state.session?.token).catch(() => {})
  localStorage.removeItem('session')
  location.reload()
}

function enter (session: Session | undefined): void {
  const isOther = session?.person.id !== state.session?.person.id
  // What was read for one person is not for another one.
  if (isOther && state.session !== undefined) location.reload()
  else set({ session, isAsking: session === undefined })
}

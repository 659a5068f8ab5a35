import { useLiveQuery } from '@tanstack/react-db'
import { StrictMode, useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { Dashboard } from './dashboard.tsx'
import { people } from './data.ts'
import { Login } from './login.tsx'
import { logOut, useSession } from './session.ts'
import './style.css'
import { Ticket } from './ticket.tsx'
import { Tickets } from './tickets.tsx'

function Desk () {
  const { session, isConnected } = useSession()
  return (
    <>
      <header>
        <a href='#/'>Tickets</a> <a href='#/dashboard'>Dashboard</a> <a href='/admin/'>Admin</a>
        <output>{isConnected ? '' : 'No connection. What you see may be old.'}</output>
        {session && <span>{session.person.name} <button onClick={logOut}>Log out</button></span>}
      </header>
      <main>{session && <Page />}</main>
      <Login />
    </>
  )
}

/** The page of the hash: `#/`, `#/tickets/12`, `#/dashboard`. */
function Page () {
  const [hash, setHash] = useState(location.hash)
  useEffect(() => {
    const change = () => { setHash(location.hash) }
    addEventListener('hashchange', change)
    return () => { removeEventListener('hashchange', change) }
  }, [])
  // The names are loaded once for all pages.
  useLiveQuery(query => query.from({ person: people }))
  const [, page = '', id = ''] = hash.split('/')
  if (page === 'tickets') return <Ticket key={id} id={Number(id)} />
  return page === 'dashboard' ? <Dashboard /> : <Tickets />
}

createRoot(document.getElementById('root') as HTMLElement).render(<StrictMode><Desk /></StrictMode>)

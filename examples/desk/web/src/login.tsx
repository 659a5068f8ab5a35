import { type FormEvent, useEffect, useRef, useState } from 'react'
import { logIn, useSession } from './session.ts'

/** The dialog for the login. It stands over the page, which keeps what is in its forms. */
export function Login () {
  const { isAsking } = useSession()
  const [message, setMessage] = useState('')
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    if (isAsking) dialog.current?.showModal()
    else dialog.current?.close()
  }, [isAsking])

  async function submit (event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = event.currentTarget
    const values = new FormData(form)
    try {
      await logIn(String(values.get('email')), String(values.get('password')))
      setMessage('')
      form.reset()
    } catch (error) {
      setMessage((error as Error).message)
    }
  }

  return (
    <dialog ref={dialog} aria-label='Log in' onCancel={event => { event.preventDefault() }}>
      <form onSubmit={submit}>
        <h2>Log in</h2>
        <p><label>Email <input name='email' type='email' autoComplete='username' required /></label></p>
        <p>
          <label>Password <input name='password' type='password' autoComplete='current-password' required /></label>
        </p>
        <p role='alert'>{message}</p>
        <button>Log in</button>
      </form>
    </dialog>
  )
}

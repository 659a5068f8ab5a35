import type { Test } from 'tap'

/** Sets an environment variable until the end of a test. */
export function setVariable (t: Test, name: string, value: string): void {
  const { [name]: before } = process.env
  process.env[name] = value
  t.teardown(() => {
    if (before === undefined) delete process.env[name]
    else process.env[name] = before
  })
}

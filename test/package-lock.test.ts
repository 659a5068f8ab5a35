import { test } from 'tap'
import { read } from './helpers/documents.ts'

interface Entry { readonly integrity?: string, readonly link?: boolean, readonly resolved?: string }

test('package-lock.json has a digest of each package, and the address of none', t => {
  const { packages } = JSON.parse(read('package-lock.json')) as { packages: Readonly<Record<string, Entry>> }
  const installed = Object.entries(packages).filter(([place, { link }]) => place !== '' && link !== true)
  const placesOf = (entries: ReadonlyArray<[string, Entry]>) => entries.map(([place]) => place)
  t.ok(installed.length > 0)
  t.strictSame(placesOf(installed.filter(([, { integrity = '' }]) => !integrity.startsWith('sha512-'))), [])
  t.strictSame(placesOf(installed.filter(([, { resolved }]) => resolved !== undefined)), [])
  t.end()
})

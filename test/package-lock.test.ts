import { test } from 'tap'
import { read } from './helpers/documents.ts'

interface Entry { readonly integrity?: string, readonly link?: boolean, readonly resolved?: string }

const packagesOf = (lock: string) => {
  const { packages } = JSON.parse(read(lock)) as { packages: Readonly<Record<string, Entry>> }
  return Object.entries(packages).filter(([place, { link }]) => place !== '' && link !== true)
}
const placesOf = (entries: ReadonlyArray<[string, Entry]>) => entries.map(([place]) => place)
const withoutDigest = (entries: ReadonlyArray<[string, Entry]>) =>
  placesOf(entries.filter(([, { integrity = '' }]) => !integrity.startsWith('sha512-')))

test('package-lock.json has a digest of each package, and the address of none', t => {
  const installed = packagesOf('package-lock.json')
  t.ok(installed.length > 0)
  t.strictSame(withoutDigest(installed), [])
  t.strictSame(placesOf(installed.filter(([, { resolved }]) => resolved !== undefined)), [])
  t.end()
})

test('the pages of the desk have digests too, and the addresses of the registry', t => {
  const installed = packagesOf('examples/desk/web/package-lock.json')
  t.ok(installed.length > 0)
  t.strictSame(withoutDigest(installed), [])
  const isOfRegistry = ({ resolved = '' }: Entry) => resolved.startsWith('https://registry.npmjs.org/')
  t.strictSame(placesOf(installed.filter(([, entry]) => !isOfRegistry(entry))), [])
  t.end()
})

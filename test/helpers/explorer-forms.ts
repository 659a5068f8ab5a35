import { Type } from '@sinclair/typebox'
import { ArgumentError, collection, type DataApiOptions, memory, SubCollection, SubItem } from '../../lib/index.ts'
import { explore, plain } from './explorer-pages.ts'

/** Serves artists, albums and labels with the explorer. */
export async function serve (options: Partial<DataApiOptions> = {}, rules: object = {}, notes = 'a\nb') {
  const artists = collection(Artist, {
    source: memory([{ ...artistRow, tags: ['x'], notes }, { ...artistRow, id: 2, name: 'Ada', labelId: null }]),
    setters: {
      name (artist, name) {
        if (name === 'Taken') throw new ArgumentError('This name is taken.')
        artist.name = name
        artist.renamed = (artist.renamed ?? 0) + 1
      }
    },
    requestStrategies: { delete: true },
    ...rules
  })
  const albums = collection(Album, {
    source: memory([{ id: 7, title: 'Tago Mago', artistId: 1 }, { id: 8, title: 'Future Days', artistId: null }])
  })
  const labels = collection(Label, { source: memory([{ id: 1, name: 'Spoon' }, { id: 2, name: 'Vision' }]) })
  return explore({ prefix: '/api', collections: { artists, albums, labels }, ...options })
}

/** The values of a form as a browser would send it. */
export function valuesOf (page: string): Record<string, string> {
  const [, form = ''] = /<form class="(?:write|stack)[^>]*>([^]*?)<\/form>/.exec(page) ?? []
  const values: Record<string, string> = {}
  const inputs = form.replaceAll(/<input type="radio"[^>]*(?<! checked)>/g, '')
  for (const [, name = '', value = ''] of inputs.matchAll(/<input[^>]* name="([^"]+)"[^>]*? value="([^"]*)"/g)) {
    values[name] = plain(value)
  }
  for (const [, name = '', text = ''] of form.matchAll(/<textarea[^>]* name="([^"]+)"[^>]*>\n?([^]*?)<\/textarea>/g)) {
    values[name] = plain(text).replaceAll(/\r\n?|\n/g, '\r\n')
  }
  for (const [, name = '', options = ''] of form.matchAll(/<select[^>]* name="([^"]+)"[^>]*>([^]*?)<\/select>/g)) {
    values[name] = /<option selected>([^<]*)/.exec(options)?.[1] ?? /^<option[^>]*>([^<]*)/.exec(options)?.[1] ?? ''
  }
  return values
}

const Label = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  name: Type.String({ identifier: true, readable: true })
})
const Artist = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  name: Type.String({ identifier: true, readable: true, writable: true, minLength: 1 }),
  founded: Type.Union([Type.Integer(), Type.Null()], { readable: true, writable: true, default: null }),
  active: Type.Boolean({ readable: true, writable: true, default: true }),
  notes: Type.String({ readable: true, writable: true, default: '' }),
  tags: Type.Array(Type.String(), { readable: true, writable: true, default: [] }),
  born: Type.Union([Type.String({ format: 'date' }), Type.Null()], { readable: true, writable: true, default: null }),
  pin: Type.Optional(Type.String({ writable: true })),
  renamed: Type.Optional(Type.Integer({ readable: true })),
  labelId: Type.Union([Type.Integer(), Type.Null()]),
  label: SubItem('labels', { foreignKey: 'labelId', readable: true, writable: true }),
  albums: SubCollection('albums', { foreignKey: 'artistId', readable: true, writable: true })
})
const Album = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  title: Type.String({ readable: true, writable: true, listed: true }),
  artistId: Type.Union([Type.Integer(), Type.Null()])
})

const artistRow = {
  id: 1,
  name: 'Can',
  founded: 1968,
  active: false,
  notes: 'a\nb',
  tags: ['x'],
  born: null,
  pin: '12',
  renamed: 0,
  labelId: 1
}

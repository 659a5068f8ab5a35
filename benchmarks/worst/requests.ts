/** A request that was found to cost much more than it looks. `name`: its row of the table. */
export interface WorstRequest {
  readonly name: string
  readonly path: string
  readonly accept?: string
  /** A query string that is sent as the body of a QUERY. */
  readonly query?: string
}

const hundred = (term: string) => encodeURIComponent(`(${Array(100).fill(term).join('|')})`)
const ids = Array.from({ length: 1000 }, (_, index) => index + 1).join(',')

export const worstRequests: readonly WorstRequest[] = [
  { name: 'a search behind three relations to many', path: '/tags?children.tags.children.text*=zzz' },
  { name: 'the same, negated, for one item', path: '/children?limit=1&where=!(tags.children.tags.children.rank>=0)' },
  { name: 'a search behind two relations to many', path: '/parents?children.parent.children.text*=zzz' },
  { name: '100 searches in a text', path: `/children?limit=1&where=${hundred('text*=zzz')}` },
  { name: '100 searches that ignore case', path: `/children?limit=1&where=${hundred('text*~=zzz')}` },
  { name: '100 searches behind a relation', path: `/parents?where=${hundred('children.text*=zzz')}` },
  { name: 'a dictionary of 100,000 texts', path: '/children/by_text' },
  { name: '99 lists of 1,000 values', path: '/children', query: Array(99).fill(`id!=*${ids}`).join('&') },
  { name: 'a sort of a million commas', path: '/children', query: `sort=${','.repeat(1_000_000)}` },
  { name: 'a page of a million items', path: '/children?size=1000&fields=parent(children(text;limit=1000))' },
  {
    name: 'a stream of a million items',
    path: '/children?limit=1000&fields=parent(children(text;limit=1000))',
    accept: 'application/x-ndjson'
  },
  {
    name: 'an item with 100,000 nested items',
    path: '/parents/1?fields=children(id,parent(id,children(id;limit=100));limit=1000)'
  },
  { name: 'a path of 300 segments', path: `/children/1${'/parent/children/1'.repeat(100)}` }
]

/** The request that the others are compared with. */
export const page: WorstRequest = { name: 'a page of 20', path: '/children?limit=20' }

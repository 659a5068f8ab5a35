import { formatNumber } from '../table.ts'
import type { Cost } from './measure.ts'
import type { WorstRequest } from './requests.ts'

/** The costs of one request. */
export interface Compared { readonly request: WorstRequest, readonly before: Cost, readonly after: Cost }

/** Formats the table of docs/limits.md. */
export function formatSummary (compared: readonly Compared[]): string {
  const rows = compared.map(one => [one.request.name, ...cells(one)])
  return [['Request', 'before', 'now', 'bound'], ['---', '---:', '---:', '---'], ...rows]
    .map((line, index) => index === 1 ? `|${line.join('|')}|` : `| ${line.join(' | ')} |`).join('\n')
}

const cells = ({ request, before, after }: Compared) => [pages(before), pages(after), boundOf(after, request)]

const pages = ({ pages, isUnended }: Cost) => `${isUnended ? 'over ' : ''}${formatNumber(pages)}`

/** Returns the bound that ends a request: the one that its error names, or the one of the table of requests. */
function boundOf ({ end }: Cost, { bound = '' }: WorstRequest): string {
  const [, limit] = /: (.+)$/.exec(end) ?? []
  const option = limit === undefined ? undefined : options[limit] ?? limit
  return option === undefined ? bound : `\`${option}\``
}

/** The options by the limits that messages name. */
const options: Readonly<Record<string, string>> = {
  cost: 'queryString.limits.cost',
  items: 'queryString.limits.items',
  listValues: 'queryString.limits.listValues',
  '10 terms': 'queryString.limits.sortTerms',
  length: 'limits.length',
  segments: 'limits.segments'
}

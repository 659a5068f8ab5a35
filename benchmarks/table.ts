import type { Spread } from './statistics.ts'

/** A Markdown table; all columns but the first `texts` are numbers, and so stand to the right. */
export function formatTable (head: readonly string[], rows: ReadonlyArray<readonly string[]>, texts = 1): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map((_, index) => index < texts ? '---' : '---:')), ...rows.map(line)].join('\n')
}

export const formatRatio = ({ median, least, most }: Spread): string =>
  `${median.toFixed(2)} (${least.toFixed(2)}–${most.toFixed(2)})`

/** With as many digits as mean something. */
export const formatNumber = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3)

export const formatBytes = (bytes: number): string => `${formatNumber(bytes / 2 ** 20)} MiB`

import type { Estimate } from './statistics.ts'

/** Formats a Markdown table. All columns but the first `texts` are numbers and aligned right. */
export function formatTable (head: readonly string[], rows: ReadonlyArray<readonly string[]>, texts = 1): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map((_, index) => index < texts ? '---' : '---:')), ...rows.map(line)].join('\n')
}

export const formatRatio = ({ value, low, high }: Estimate): string =>
  `${value.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})`

/** Formats a number with three digits, or more for larger integers. */
export const formatNumber = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3)

export const formatBytes = (bytes: number): string => `${formatNumber(bytes / 2 ** 20)} MiB`

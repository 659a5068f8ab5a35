import type { SelectHTMLAttributes } from 'react'

export const states = ['open', 'waiting', 'closed'] as const
export const priorities = ['low', 'normal', 'high'] as const

/** A time as the page shows it. */
export const timeOf = (time: string | null): string => time === null ? '' : new Date(time).toLocaleString()

/** A time as an input of `datetime-local` has it, and back. */
export const localOf = (time: string | null): string => {
  if (time === null) return ''
  const date = new Date(time)
  return new Date(Number(date) - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
export const utcOf = (local: string): string | null => local === '' ? null : new Date(local).toISOString()

export const priorityOf = (text: string) => priorities.find(one => one === text) ?? 'normal'

/** Values that are their own names. */
export const choices = (values: readonly string[]) => values.map(value => [value, value] as const)

interface ChoiceProps extends Omit<SelectHTMLAttributes<HTMLSelectElement>, 'onChange'> {
  readonly label?: string
  /** The values, each with its name. */
  readonly of: ReadonlyArray<readonly [string | number, string]>
  onChoose? (value: string): void
}

export const Choice = ({ label, of, onChoose, ...others }: ChoiceProps) => (
  <label>
    {label}
    <select {...others} onChange={onChoose && (event => { onChoose(event.target.value) })}>
      {of.map(([value, name]) => <option key={value} value={value}>{name}</option>)}
    </select>
  </label>
)

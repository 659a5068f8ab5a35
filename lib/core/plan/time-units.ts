import { formatTypes, type ValueType } from '../model/values.ts'

/** The units of time by which days and timestamps are grouped, in UTC. Weeks begin on Monday (ISO 8601). */
export type TimeUnit = 'year' | 'quarter' | 'month' | 'week' | 'day' | 'hour'

export const unitsOf = ({ kind }: Pick<ValueType, 'kind'>): readonly TimeUnit[] =>
  kind === 'date' ? unitsOfDays : kind === 'date-time' ? unitsOfTimestamps : []

const unitsOfDays = ['year', 'quarter', 'month', 'week'] as const satisfies readonly TimeUnit[]
const unitsOfTimestamps = [...unitsOfDays, 'day', 'hour'] as const satisfies readonly TimeUnit[]

/** Returns the unit that a function such as `month()` names; undefined for other functions. */
export const unitNamed = (called: string): TimeUnit | undefined =>
  unitsOfTimestamps.find(unit => called === `${unit}()`)

/** The type of what a unit makes of values: days, and timestamps of hours. */
export const unitType = (unit: TimeUnit): ValueType =>
  formatTypes[unit === 'hour' ? 'date-time' : 'date']

/**
 * Returns the first day of the unit that a day or timestamp is in, and the first hour as a timestamp. A value that is
 * none of the years 1 to 9999, such as `infinity`, is returned as it is.
 */
export function startOf (text: string, unit: TimeUnit): string {
  const [whole, year = '', month = '', day = '', hour] = form.exec(text) ?? []
  if (whole === undefined || !isDay(Number(month), Number(day))) return text
  switch (unit) {
    case 'year': return `${year}-01-01`
    case 'quarter': return `${year}-${String(Number(month) - (Number(month) - 1) % 3).padStart(2, '0')}-01`
    case 'month': return `${year}-${month}-01`
    case 'day': return `${year}-${month}-${day}`
    case 'hour': return `${year}-${month}-${day}T${hour ?? '00'}:00:00.000Z`
    case 'week': {
      const days = daysOf(year, month, day)
      // 1970-01-01 was a Thursday.
      return dayOf(days - (((days + 3) % 7) + 7) % 7)
    }
  }
}

/** Returns false for what no unit holds but itself. */
export const isInUnit = (text: string): boolean => form.test(text)

const form = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):\d\d:\d\d\.\d{3}Z)?$/

const isDay = (month: number, day: number) => month >= 1 && month <= 12 && day >= 1 && day <= 31

const millisOfDay = 86_400_000

const daysOf = (year: string, month: string, day: string) =>
  Date.parse(`${year}-${month}-01`) / millisOfDay + Number(day) - 1

const dayOf = (days: number) => new Date(days * millisOfDay).toISOString().slice(0, 10)

/** Returns the start of the unit after the one that begins at `start`; undefined after the year 9999. */
export function nextStart (start: string, unit: TimeUnit): string | undefined {
  const date = new Date(start)
  if (unit === 'hour') date.setUTCHours(date.getUTCHours() + 1)
  else if (unit === 'day' || unit === 'week') date.setUTCDate(date.getUTCDate() + (unit === 'day' ? 1 : 7))
  else date.setUTCMonth(date.getUTCMonth() + months[unit])
  const text = date.toISOString()
  if (text.startsWith('+')) return undefined
  return unit === 'hour' ? text : text.slice(0, 10)
}

const months = { year: 12, quarter: 3, month: 1 } as const

/** A value of a program: a scalar, a list, or an object, whose members keep their order. */
export type Code = string | number | boolean | null | readonly Code[] | ReadonlyMap<string, Code>

/** Returns an object of a program, without the members that are undefined. */
export const objectOf = (members: Readonly<Record<string, Code | undefined>>): ReadonlyMap<string, Code> =>
  new Map(Object.entries(members).flatMap(([name, value]) => value === undefined ? [] : [[name, value] as const]))

/** Returns a value as JavaScript, in one line if it is short. */
export function print (value: Code, indent = ''): string {
  if (typeof value === 'string') return quote(value)
  if (typeof value !== 'object' || value === null) return String(value)
  const isList = Array.isArray(value)
  const [start, end] = isList ? ['[', ']'] : ['{', '}']
  const deeper = `${indent}  `
  const parts = isList
    ? value.map((one: Code) => print(one, deeper))
    : [...value as ReadonlyMap<string, Code>].map(([name, one]) => `${nameOf(name)}: ${print(one, deeper)}`)
  const line = isList ? `[${parts.join(', ')}]` : parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`
  if (line.length + indent.length <= 66 && !line.includes('\n')) return line
  return `${start}\n${deeper}${parts.join(`,\n${deeper}`)}\n${indent}${end}`
}

const quote = (text: string) =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll(/\\.|'/g, one => one === '\\"' ? '"' : one === "'" ? "\\'" : one)}'`

/** A member of this name in brackets is a member like others. */
const nameOf = (name: string) =>
  name === '__proto__' ? "['__proto__']" : /^[a-z_$][\w$]*$/i.test(name) ? name : quote(name)

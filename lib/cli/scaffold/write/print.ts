import type { Part } from '../calls.ts'
import { isCall, isList } from '../declare.ts'
import { memberName, quote } from '../../../declare/typescript-source.ts'

const mostColumns = 110

/** Returns a part of a declaration as source. `indent`: the spaces before its lines. `lead`: what stands before it. */
export function print (part: Part, indent = 0, lead = 0): string {
  const short = printOnOneLine(part)
  return short.length + indent + lead <= mostColumns ? short : printOnLines(part, indent)
}

function printOnOneLine (part: Part): string {
  if (typeof part === 'string') return quote(part)
  if (typeof part !== 'object') return String(part)
  if (isList(part)) return `[${part.map(printOnOneLine).join(', ')}]`
  if (isCall(part)) return `${part.call}(${part.args.map(printOnOneLine).join(', ')})`
  const members = Object.entries(part).map(([name, value]) => `${memberName(name)}: ${printOnOneLine(value)}`)
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}

function printOnLines (part: Part, indent: number): string {
  if (typeof part !== 'object') return printOnOneLine(part)
  if (isCall(part)) {
    // The last argument holds most: its members get the lines.
    const args = part.args.map((one, index) =>
      index === part.args.length - 1 ? printOnLines(one, indent) : print(one, indent))
    return `${part.call}(${args.join(', ')})`
  }
  const inner = indent + 2
  const lines = isList(part)
    ? part.map(one => print(one, inner))
    : Object.entries(part).map(([name, value]) => printMember(name, value, inner))
  const [open, close] = isList(part) ? ['[', ']'] : ['{', '}']
  return `${open}\n${lines.map(line => `${' '.repeat(inner)}${line}`).join(',\n')}\n${' '.repeat(indent)}${close}`
}

/** Returns the members of an object as source, each on lines of its own. */
export const printMembers = (parts: Readonly<Record<string, Part>>): string =>
  `{\n${Object.entries(parts).map(([name, part]) => `  ${printMember(name, part, 2)}`).join(',\n')}\n}`

function printMember (name: string, part: Part, indent: number): string {
  const member = memberName(name)
  return `${member}: ${print(part, indent, member.length + 2)}`
}

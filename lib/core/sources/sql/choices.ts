/** A value that a check constraint lists. */
export type Literal = string | number
type Token =
  | { readonly kind: 'name' | 'sign', readonly text: string }
  | { readonly kind: 'value', readonly value: Literal }

/**
 * Returns the values that a check constraint of one column lists, such as `status in ('new', 'paid')`; undefined for
 * any other expression. PostgreSQL writes the same as `status = ANY (ARRAY['new'::text, 'paid'::text])`.
 */
export function choicesIn (expression: string, column: string): readonly Literal[] | undefined {
  const tokens = withoutCasts(tokensOf(expression)).filter(token => !isSign(token, '(') && !isSign(token, ')'))
  const body = afterNull(tokens, column)
  const [subject, ...rest] = body
  if (subject === undefined || !isName(subject, column)) return undefined
  return listed(rest, 'in', '') ?? listed(rest, '= any array [', ']')
}

/** Returns the choices of the columns of a `create table`, by the lower-case name of the column. */
export function choicesOfTable (statement: string): ReadonlyMap<string, readonly Literal[]> {
  const found = new Map<string, readonly Literal[]>()
  for (const expression of checksIn(statement)) {
    const subject = tokensOf(expression).find(token => token.kind === 'name')
    if (subject?.kind !== 'name') continue
    const choices = choicesIn(expression, subject.text)
    if (choices !== undefined) found.set(subject.text.toLowerCase(), choices)
  }
  return found
}

const isSign = (token: Token | undefined, text: string) => token?.kind === 'sign' && token.text === text
const isWord = (token: Token | undefined, text: string) =>
  token !== undefined && token.kind !== 'value' && token.text.toLowerCase() === text
const isName = (token: Token, name: string) =>
  token.kind === 'name' && token.text.toLowerCase() === name.toLowerCase()

/** Drops a leading `column is null or`: a check lets null pass anyway. */
function afterNull (tokens: readonly Token[], column: string): readonly Token[] {
  const [subject, ...words] = tokens
  if (subject === undefined || !isName(subject, column)) return tokens
  return ['is', 'null', 'or'].every((word, index) => isWord(words[index], word)) ? tokens.slice(4) : tokens
}

/** Returns the literals between the words of `opening` and of `closing`; undefined if something else is there. */
function listed (tokens: readonly Token[], opening: string, closing: string): readonly Literal[] | undefined {
  const before = opening.split(' ')
  const after = closing === '' ? [] : [closing]
  const end = tokens.length - after.length
  if (!before.every((word, index) => isWord(tokens[index], word))) return undefined
  if (!after.every((sign, index) => isSign(tokens[end + index], sign))) return undefined
  const values: Literal[] = []
  for (const [index, token] of tokens.slice(before.length, end).entries()) {
    if (index % 2 === 1 ? !isSign(token, ',') : token.kind !== 'value') return undefined
    if (token.kind === 'value') values.push(token.value)
  }
  return values.length > 0 && new Set(values).size === values.length ? values : undefined
}

/** Drops the casts of PostgreSQL: `'new'::character varying(20)[]` -> `'new'`. */
function withoutCasts (tokens: readonly Token[]): readonly Token[] {
  const kept: Token[] = []
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]
    if (token === undefined) break
    if (!isSign(token, '::')) {
      kept.push(token)
      continue
    }
    while (tokens[at + 1]?.kind === 'name' || isSign(tokens[at + 1], '.')) at++
    if (isSign(tokens[at + 1], '(') && tokens[at + 2]?.kind === 'value' && isSign(tokens[at + 3], ')')) at += 3
    while (isSign(tokens[at + 1], '[') && isSign(tokens[at + 2], ']')) at += 2
  }
  return kept
}

// Strings, numbers, quoted and plain names, signs; comments and space are passed over.
const pattern = new RegExp([
  /(?<comment>--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|\s+)/,
  /(?<string>'(?:[^']|'')*')/,
  /(?<number>-?\d+(?:\.\d+)?\b)/,
  /(?<quoted>"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[\p{L}_][^\]']*\])/u,
  /(?<word>[\p{L}_][\p{L}\p{N}_$]*)/u,
  /(?<sign>::|[\s\S])/
].map(({ source }) => source).join('|'), 'gu')

function tokensOf (text: string): readonly Token[] {
  return [...text.matchAll(pattern)].flatMap(({ groups = {} }): readonly Token[] => {
    const { string, number, quoted, word, sign } = groups
    if (string !== undefined) return [{ kind: 'value', value: string.slice(1, -1).replaceAll("''", "'") }]
    if (number !== undefined) return [{ kind: 'value', value: Number(number) }]
    if (quoted !== undefined) return [{ kind: 'name', text: unquote(quoted) }]
    if (word !== undefined) return [{ kind: 'name', text: word }]
    return sign === undefined ? [] : [{ kind: 'sign', text: sign }]
  })
}

function unquote (quoted: string): string {
  const mark = quoted.charAt(0)
  const inner = quoted.slice(1, -1)
  return mark === '[' ? inner : inner.replaceAll(mark + mark, mark)
}

/** Returns the expressions of the check constraints of a statement. */
function checksIn (statement: string): readonly string[] {
  const found: string[] = []
  if (!/check/i.test(statement)) return found
  let depth = 0
  let begin: { readonly at: number, readonly depth: number } | undefined
  let isCheck = false
  for (const match of statement.matchAll(pattern)) {
    const { comment, word, sign } = match.groups ?? {}
    if (comment !== undefined) continue
    if (sign === '(') {
      if (isCheck && begin === undefined) begin = { at: match.index + 1, depth }
      depth++
    }
    if (sign === ')') {
      depth--
      if (begin !== undefined && begin.depth === depth) {
        found.push(statement.slice(begin.at, match.index))
        begin = undefined
      }
    }
    isCheck = word?.toLowerCase() === 'check'
  }
  return found
}

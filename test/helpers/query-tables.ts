import { test } from 'tap'
import { DataApiError } from '../../lib/core/errors/errors.ts'
import { printParts } from '../../lib/core/request/print.ts'
import { parseQuery } from '../../lib/core/request/query.ts'
import { compileSyntax } from '../../lib/core/request/syntax.ts'

const syntax = compileSyntax({})

/** Tests that each text of a table is read as the one beside it, which is the same query as it is printed. */
export function reads (table: Readonly<Record<string, string>>) {
  for (const [text, printed] of Object.entries(table)) {
    test(`'${text}' is read`, async t => { t.equal(printParts(parseQuery(text, syntax), syntax).join('&'), printed) })
  }
}

/** Tests that each text is read as it is written. */
export const readsAsWritten = (...texts: readonly string[]) => {
  reads(Object.fromEntries(texts.map(text => [text, text])))
}

/** Tests that each text of a table is refused with the error beside it, under these options. */
export function refuses (
  code: string, table: Record<string, readonly [parameter: string, position: number, message: string | RegExp]>,
  options = {}
) {
  const suffix = Object.keys(options).length > 0 ? ` with ${JSON.stringify(options)}` : ''
  for (const [text, [parameter, position, message]] of Object.entries(table)) {
    test(`'${text.length > 60 ? `${text.slice(0, 60)}...` : text}' is refused${suffix}`, async t => {
      t.throws(() => parseQuery(text, compileSyntax(options)),
        { constructor: DataApiError, code, message, facts: { parameter, position } })
    })
  }
}

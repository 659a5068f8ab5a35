import { expectTypeOf } from 'expect-type'
import { test } from 'tap'
import type { OperatorWord } from '../../lib/client/types/where.ts'
import { type Operator, operatorNames } from '../../lib/model/operators.ts'
import { type QueryStringOptions, queryStringOptions } from '../../schemas/query-string.ts'
import { words } from '../fixtures/operator-words.ts'

// The client and the schemas import nothing of lib, so that the compiler compares their tables with the operators here.

test('the client has a word for each operator', async t => {
  expectTypeOf<(typeof words)[Operator]>().toEqualTypeOf<OperatorWord>()
  t.equal(new Set(Object.values(words)).size, operatorNames.length)
})

test('the spelling of each operator is an option', async t => {
  expectTypeOf<keyof NonNullable<QueryStringOptions['operators']>>().toEqualTypeOf<Operator>()
  t.strictSame(Object.keys(queryStringOptions.properties.operators.properties).sort(), [...operatorNames].sort())
})

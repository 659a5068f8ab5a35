import { expectTypeOf } from 'expect-type'
import { test } from 'tap'
import type { OperatorWord } from '../../lib/clients/client/types/where.ts'
import { operatorWords } from '../../lib/doors/own-code/parsed.ts'
import { type Operator, operatorNames } from '../../lib/core/model/operators.ts'
import { type QueryStringOptions, queryStringOptions } from '../../schemas/query-string.ts'

// That the client and the schemas lack no operator is known to the compiler: here, that they have no other.

test('the client has a word for each operator', async t => {
  expectTypeOf<(typeof operatorWords)[Operator]>().toEqualTypeOf<OperatorWord>()
  t.equal(new Set(Object.values(operatorWords)).size, operatorNames.length)
})

test('the spelling of each operator is an option', async t => {
  expectTypeOf<keyof NonNullable<QueryStringOptions['operators']>>().toEqualTypeOf<Operator>()
  t.strictSame(Object.keys(queryStringOptions.properties.operators.properties).sort(), [...operatorNames].sort())
})

import { sql } from '../load-kysely.ts'
import { answerTooLarge } from '../../../errors/errors.ts'
import type { DataField } from '../../../model/model.ts'
import type { ReadPlanOf, Selection } from '../../../plan/plan.ts'
import { textOf } from '../../json-text.ts'
import type { JsonResult, ReadResult } from '../../source.ts'
import type { Builder } from './builder.ts'
import type { Sql } from './dialect.ts'
import { buildMember } from './json-read.ts'
import type { CompiledRead } from './compiled-read.ts'
import { fieldLayouts } from './select.ts'
import { buildRowRead, stepRefs } from './steps.ts'
import type { TableRef } from './table.ts'

/**
 * Builds the read of an item with nested items, whose result is the JSON text of each member. The database writes the
 * nested items, which are neither parsed nor written again. The selection must be writable (isWritable).
 */
export function buildJsonItem (
  plan: ReadPlanOf<'item'>, builder: Builder
): CompiledRead<ReadResult | JsonResult> {
  const { select } = plan
  const { writer } = builder.dialect
  const refs = stepRefs(plan.steps)
  const ref = refs.at(-1)
  if (ref === undefined) throw new TypeError('an item is reached by a step at least')
  const fields = select.flatMap(one => one.kind === 'value' ? [one.field as DataField] : [])
  const columns = fieldLayouts({ fields, extra: [], terms: [], columns: [] }, 'fetch', ref, builder)
  const outputs = [
    ['rows', nestedTexts(select, ref, builder)] as const,
    ...columns.map((one, index) => [`v${index}`, one.sql] as const)
  ]
  const from = sql` from (select 1 as ${sql.id('one')}) as ${sql.id('(one)')} left join ${sql.id(ref.alias)} on 1 = 1
    limit 1`
  return buildRowRead(plan, { refs, outputs, from }, builder, ([rows, ...values], { longest }) => {
    if (typeof rows !== 'string') throw answerTooLarge(longest)
    const items = writer.finish(rows).split(separator)
    const texts = values.map((value, index) => textOf(columns[index]?.decode(value)))
    return { kind: 'values', values: select.map(({ kind }) => (kind === 'value' ? texts : items).shift() ?? 'null') }
  })
}

/** Builds the text of all members with nested items, one a line. */
function nestedTexts (select: Selection, ref: TableRef, builder: Builder): Sql {
  const { writer } = builder.dialect
  const texts = select.filter(({ kind }) => kind !== 'value')
    .map(one => sql`coalesce(${writer.text(buildMember(one, ref, { writer, builder }))}, 'null')`)
  return sql.join(texts, sql` || ${sql.lit(separator)} || `)
}

// The JSON of no item contains a line feed.
const separator = '\n'

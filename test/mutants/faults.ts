/* eslint-disable no-template-curly-in-string -- texts of sources */

import { doorFaults } from './door-faults.ts'
import { insertFaults } from './insert-faults.ts'
import { statementFaults } from './statement-faults.ts'

// Faults that are put into lib, one at a time.

/** A fault. */
export interface Fault {
  readonly what: string
  /** The text that it replaces, which lib has once, in whatever file. */
  readonly text: string
  readonly fault: string
  /** The tests that should find it, the first ones first, as paths below test/. */
  readonly tests: readonly string[]
  /** True if it is found on PostgreSQL alone. */
  readonly postgres?: true
}

/** The faults, in the order of the rooms. */
export const faults: readonly Fault[] = [
  {
    what: 'request: half a surrogate pair is decoded',
    text: 'text === undefined || loneSurrogate.test(text)',
    fault: 'text === undefined',
    tests: ['contract/urls', 'request/path', 'contract/hostile']
  },
  {
    what: 'request: a line of an import has the number of the next',
    text: 'push({ at: unread.at, content: taken.content })',
    fault: 'push({ at: unread.at + 1, content: taken.content })',
    tests: ['contract/imports']
  },
  {
    what: 'plan: an import is written in the order of its lines',
    text: 'orderOf: value => isOrdered ?',
    fault: 'orderOf: value => !isOrdered ?',
    tests: ['contract/imports-order']
  },
  {
    what: 'request: a second page replaces the first',
    text: 'if (draft.page[kind] !== undefined)',
    fault: 'if (draft.page[kind] === null)',
    tests: ['request/query', 'contract/pages']
  },
  {
    what: 'response: a read has whatever If-Match says',
    text: 'conditions.ifMatch !== undefined && !isKnown(tag, conditions.ifMatch)',
    fault: 'conditions.ifMatch === null',
    tests: ['contract/conditions']
  },
  {
    what: 'request: escaped names of members are other names',
    text: 'String(JSON.parse(text.slice(at, end)))',
    fault: 'text.slice(at + 1, end - 1)',
    tests: ['contract/writing/members']
  },
  {
    what: 'request: an escaped quote ends a text of JSON',
    text: 'if (!isEscaped(text, at)) return at + 1',
    fault: 'return at + 1',
    tests: ['contract/writing/members']
  },
  {
    what: 'plan: a fault inside of JSON is told at the value of the field',
    text: 'faults.map(one => ({ ...one, pointer: pointer + one.pointer }))',
    fault: 'faults.map(one => ({ ...one, pointer }))',
    tests: ['contract/writing/bodies']
  },
  {
    what: 'run: an update of another identifier does not move its item',
    text: 'isByKey ? compared.filter(field => !isIdentifier(field, collection)) : compared',
    fault: 'compared.filter(field => !isIdentifier(field, collection))',
    tests: ['contract/addresses']
  },
  {
    what: 'plugin: what is unpacked is taken for packed',
    text: "(isUtf8(bytes) && headers['content-length'] !== String(bytes.length))",
    fault: 'false',
    tests: ['contract/request-body']
  },
  {
    what: 'plan: a size above the maximum stays',
    text: 'return Math.min(wholeNumber(size, 0), maxSize)',
    fault: 'return wholeNumber(size, 0)',
    tests: ['contract/pages']
  },
  {
    what: 'plan: the pages are counted from 0',
    text: '(number - 1) * size',
    fault: 'number * size',
    tests: ['contract/pages']
  },
  {
    what: 'plan: a cursor tells of a key that may not be read',
    text: 'if (!order.every(({ field }) => field?.readable !== false)) throw invalid(cursor.at)',
    fault: '',
    tests: ['contract/pages', 'contract/rules/fields', 'contract/non-interference']
  },
  {
    what: 'plan: a key is split at encoded commas where another identifier is meant',
    text: 'identified.alternatives.length === 0 ? stored.find',
    fault: 'identified.alternatives.length >= 0 ? stored.find',
    tests: ['contract/composite-keys']
  },
  {
    what: 'plan: no null follows a cursor',
    text: 'path !== undefined || (isNullable(term) && !descending)) return []',
    fault: 'path !== undefined) return []',
    tests: ['contract/pages', 'contract/generated', 'sources/generated-plans']
  },
  {
    what: 'plan: a null in a cursor is taken for an empty text',
    text: 'value === null ? hasNoValue(term) :',
    fault: "value === null ? compare(term, 'equals', '') :",
    tests: ['contract/pages', 'contract/generated', 'sources/generated-plans']
  },
  {
    what: 'plan: an order does not end with the key',
    text: 'for (const term of keyTerms) if (!has(order, term)) order.push(term)',
    fault: '',
    tests: ['contract/pages']
  },
  {
    what: 'plugin: a twin of QUERY runs as the POST that it came as',
    text: "headers['x-http-method-override'] === undefined ? method : 'QUERY'",
    fault: "headers['x-http-method-override'] === undefined ? method : 'POST'",
    tests: ['contract/urls']
  },
  {
    what: 'plugin: a twin may stand for any method',
    text: "method === 'POST' && meant === 'QUERY' && mediaTypeOf",
    fault: "method === 'POST' && mediaTypeOf",
    tests: ['contract/urls']
  },
  {
    what: 'request: a tag with the mark of a weak one is none',
    text: '/"([^"]*)"/g',
    fault: '/(?<!W\\/)"([^"]*)"/g',
    tests: ['contract/conditions']
  },
  {
    what: 'plan: a tag does not depend on all values',
    text: 'digest(JSON.stringify(versionFields.map(',
    fault: 'digest(JSON.stringify(versionFields.slice(0, 1).map(',
    tests: ['contract/conditions']
  },
  {
    what: 'plan: items that are created together are not validated',
    text: 'if (validate(typed).length > 0) return false',
    fault: '',
    tests: ['contract/imports', 'contract/writing/laws']
  },
  {
    what: 'model: a decimal place more than its column has is rounded',
    text: 'test(fraction.slice(places))',
    fault: 'test(fraction.slice(places + 1))',
    tests: ['sources/column-limits'],
    postgres: true
  },
  {
    what: 'model: the schema alone limits a text',
    text: '...length < maxLength && { maxLength: length }',
    fault: '...length < maxLength && {}',
    tests: ['sources/column-limits'],
    postgres: true
  },
  {
    what: 'postgres: the type under a domain loses its check',
    text: 'b.domains || t.oid',
    fault: 'b.domains',
    tests: ['sources/column-limits'],
    postgres: true
  },
  {
    what: 'postgres: the position in the log is kept on another server',
    text: "complete !== '1' || asked !== server",
    fault: "complete !== '1' || server === undefined",
    tests: ['sources/change-log'],
    postgres: true
  },
  {
    what: 'sqlite: the null of JSON is a value where it is asked for',
    text: "kind === 'json' ? unlessJsonNull(column) : column",
    fault: 'kind === undefined ? unlessJsonNull(column) : column',
    tests: ['contract/null-of-json']
  },
  {
    what: 'response: the words of a trigger are told by default',
    text: 'const error = options.raised ? withRaised(given) : given',
    fault: 'const error = withRaised(given)',
    tests: ['contract/raised-words']
  },
  {
    what: 'model: every relation creates',
    text: 'schema.link.creates === true ||',
    fault: 'schema.link.creates !== null ||',
    tests: ['contract/writing/references', 'openapi/document']
  },
  {
    what: 'rules: a filter through a relation passes by the scope',
    text: 'where: mapWhere(predicate.where, predicate.field.target, to)',
    fault: 'where: mapParts(predicate.where, to)',
    tests: ['contract/rules/scopes', 'contract/non-interference']
  },
  {
    what: 'rules: an embedded item passes by the scope',
    text: 'where: mapWhere(shown.where, shown.field.target, to), select:',
    fault: 'where: shown.where, select:',
    tests: ['contract/rules/scopes', 'contract/non-interference']
  },
  {
    what: 'rules: a sort through a sub-item passes by the scope',
    text: 'mapNode(step, { where: mapWhere(step.where, step.field.target, to) })',
    fault: 'step',
    tests: ['contract/sorts-through-relations']
  },
  {
    what: 'rules: a function of a relation passes by the scope',
    text: 'where: mapWhere(related.where, related.field.target, to)',
    fault: 'where: related.where',
    tests: ['contract/counts-of-relations', 'contract/functions-of-relations']
  },
  {
    what: 'rules: a group of items passes by the scope',
    text: 'where: mapWhere(plan.where, plan.from.collection, to)',
    fault: 'where: plan.where',
    tests: ['contract/groups', 'contract/non-interference']
  },
  {
    what: 'rules: a field is written without its rule',
    text: 'return writeDenials.get(',
    fault: 'return undefined && writeDenials.get(',
    tests: ['contract/rules/fields', 'contract/authorisation', 'contract/one-law', 'contract/rules/scopes']
  },
  {
    what: 'rules: a link is written without the rule of the other item',
    text: "(isOtherNew ? undefined : caller.denial('update', target))",
    fault: 'undefined',
    tests: ['contract/rules/operations', 'contract/authorisation', 'contract/one-law']
  },
  {
    what: 'rules: an item is deleted softly by the rule of updates',
    text: "caller.denial(change.deletes === true ? 'delete' : 'update', change.collection)",
    fault: "caller.denial('update', change.collection)",
    tests: ['contract/soft-deletion', 'contract/rules/operations']
  },
  {
    what: 'rules: an item is updated without the scope of updates',
    text: 'if (!isScoped(collection, caller, operation)) return',
    fault: "if (operation === 'update' || !isScoped(collection, caller, operation)) return",
    tests: ['contract/rules/operation-scopes', 'contract/rules/changed-items']
  },
  {
    what: 'rules: an item is deleted without the scope of deletions',
    text: 'if (!isScoped(collection, caller, operation)) return',
    fault: "if (operation === 'delete' || !isScoped(collection, caller, operation)) return",
    tests: ['contract/rules/operation-scopes', 'contract/rules/changed-items']
  },
  {
    what: 'rules: a field of an item is written without its rule',
    text: 'const denial = await caller.itemRule(collection, field)?.(item)',
    fault: 'const denial = undefined',
    tests: ['contract/rules/item-rules']
  },
  {
    what: 'rules: a write takes an item out of the scope',
    text: 'check: () => touched.check()',
    fault: 'check: async () => {}',
    tests: ['contract/rules/scopes', 'contract/one-law-scopes']
  },
  {
    what: 'rules: a trigger takes an item out of the scope',
    text: ' || source.isIsolated?.(field.property) !== true',
    fault: '',
    tests: ['contract/rules/single-updates']
  },
  {
    what: 'rules: items that are inserted together refer to hidden ones',
    text: 'return rowsOf(found).length >= keys.length',
    fault: 'return rowsOf(found).length <= keys.length',
    tests: ['contract/imports-rules', 'contract/non-interference']
  },
  {
    what: 'run: an item is deleted without its scope',
    text: ' || isDeletionChecked(plan.collection, caller)',
    fault: '',
    tests: ['contract/rules/scopes', 'contract/one-law-scopes']
  },
  {
    what: 'run: a dry run is committed',
    text: 'return dryRun === true ? rollBack(result, keySession) : result',
    fault: 'return result',
    tests: ['contract/dry-runs', 'contract/writing/laws']
  },
  {
    what: 'run: a dry run tells that something was saved',
    text: 'if (running.dryRun !== true) for (const notify',
    fault: 'for (const notify',
    tests: ['contract/dry-runs', 'contract/writing/laws']
  },
  {
    what: 'plan: what a merge patch does not name is parsed and written anew',
    text: 'return [text.slice(start, end)]',
    fault: 'return [text.slice(start, value) + JSON.stringify(JSON.parse(text.slice(value, end)))]',
    tests: ['contract/merge-patches']
  },
  {
    what: 'plan: a merge patch reaches a field that cannot be read',
    text: 'if (!isMergeable(field)) {',
    fault: "if (field.kind === 'input' && !isMergeable(field)) {",
    tests: ['contract/merge-patches']
  },
  {
    what: 'run: a value that an item has already counts its version up',
    text: 'if (collection.version !== undefined) return undefined',
    fault: '',
    tests: ['contract/conditions']
  },
  {
    what: 'plan: wrong members are told before the item is looked for',
    text: 'if (references !== undefined) checked(body)',
    fault: 'if (references !== null) checked(body)',
    tests: ['contract/writing/places']
  },
  {
    what: 'run: what an upsert lacks is told where its item is elsewhere',
    text: ' || await isElsewhere(insert, parent, work)',
    fault: '',
    tests: ['contract/writing/places']
  },
  {
    what: 'plan: an upsert by a merge patch keeps members that are null',
    text: 'typed[field.name] = mergedIntoNothing(value)',
    fault: 'typed[field.name] = value',
    tests: ['contract/merge-patches']
  },
  {
    what: 'run: the value that a merge patch makes is not validated',
    text: 'const violations = validate({ [name]: value })',
    fault: 'const violations = validate({})',
    tests: ['contract/merge-patches']
  },
  {
    what: 'run: a value that a hook removes becomes the default',
    text: 'valueIn(item, field) ?? (isEmptied(item, field) ? null : undefined)',
    fault: 'valueIn(item, field)',
    tests: ['contract/creating']
  },
  {
    what: 'run: the version tells that an unreadable value is the same',
    text: 'return assignment.field.readable ? [] : fields.filter(field => !field.readable)',
    fault: 'return []',
    tests: ['contract/conditions', 'contract/rules/fields', 'contract/non-interference']
  },
  {
    what: 'rules: a duplicate tells who may not read whether the scope includes it',
    text: "if (caller.denial('read', collection) !== undefined) {",
    fault: 'if (Date.now() < 0) {',
    tests: ['contract/rules/unreadable']
  },
  {
    what: 'run: a sum beyond the maximum is written',
    text: 'violations: made.violations.map(told)',
    fault: 'violations: []',
    tests: ['contract/changes-of-a-value']
  },
  ...insertFaults,
  {
    what: 'response: CSV holds a formula',
    text: 'isNumber.test(text) ? text : disarm(text)',
    fault: 'isNumber.test(text) ? text : text',
    tests: ['contract/limits', 'contract/streams']
  },
  {
    what: 'response: CSV does not quote a comma',
    text: String.raw`/[",;\t\r\n]|^\s|\s$/.test(text)`,
    fault: String.raw`/[";\t\r\n]|^\s|\s$/.test(text)`,
    tests: ['contract/limits', 'contract/streams']
  },
  {
    what: 'response: the last page has a next one',
    text: 'const hasNext = reversed || more',
    fault: 'const hasNext = true',
    tests: ['contract/pages']
  },
  ...statementFaults,
  {
    what: 'sqlite: a part of a text is not found at its start',
    text: 'instr(${column}, ${sql.val(slot)}) > 0',
    fault: 'instr(${column}, ${sql.val(slot)}) > 1',
    tests: ['contract/queries', 'contract/generated']
  },
  {
    what: 'sqlite: a write that shares a refused commit is told as done',
    text: 'return committed(driver, makeAll) ?? changes.map(() => undefined)',
    fault: "return committed(driver, makeAll) ?? changes.map(() => ({ kind: 'changed' } as const))",
    tests: ['sources/sqlite/together']
  },
  {
    what: 'postgres: a part of a text is not found at its start',
    text: '${text(sql`${sql.val(slot)}`)}) > 0`',
    fault: '${text(sql`${sql.val(slot)}`)}) > 1`',
    tests: ['contract/queries', 'contract/generated'],
    postgres: true
  },
  {
    what: 'postgres: an item is read without its lock',
    text: 'lock: () => sql` for update`',
    fault: 'lock: () => sql``',
    tests: ['contract/races', 'contract/transactions'],
    postgres: true
  },
  {
    what: 'postgres: the reads of all sessions share a packet',
    text: 'const key = read.session?.key',
    fault: 'const key = undefined',
    tests: ['sources/request-sessions'],
    postgres: true
  },
  {
    what: 'sources: work that has ended still holds the lock',
    text: 'this.inside.get()?.over === false',
    fault: 'this.inside.get() !== undefined',
    tests: ['sources/write-lock', 'contract/transactions']
  },
  {
    what: 'sources: the last of several changed tables is not told',
    text: 'this.tell(tables.has(undefined) ? undefined : tables)',
    fault: 'this.tell(tables.has(undefined) ? undefined : new Map([...tables].slice(0, tables.size - 1 || 1)))',
    tests: ['contract/live-law']
  },
  {
    what: 'sources: what a row was before a change does not count',
    text: 'joined([before, after])',
    fault: 'after',
    tests: ['contract/live-law', 'contract/live-depends']
  },
  {
    what: 'sources: the log forgets what a row was',
    text: "array['noted_old', 'noted_new']",
    fault: "array['noted_new']",
    tests: ['sources/change-log', 'contract/live-law'],
    postgres: true
  },
  {
    what: 'sources: a mean is rounded before it is a double',
    text: '>= 1e-5 ? 80 : 1100',
    fault: '>= 1e-5 ? 16 : 16',
    tests: ['contract/exact-sums']
  },
  {
    what: 'sources: sums of numbers are compared unrounded',
    text: "kind === 'number' ? roundedSum(sum.total()) : sum.total()",
    fault: 'sum.total()',
    tests: ['contract/exact-sums']
  },
  ...doorFaults
]

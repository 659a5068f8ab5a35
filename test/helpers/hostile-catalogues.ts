import fc from './fast-check.ts'

// Texts that a catalogue can hold, and that code could take for its own.
const hostile = fc.oneof(
  fc.constantFrom('*/', '`', '`$'.concat('{process.exit(1)}'), "');process.exit(1);//", '__proto__', 'constructor',
    '\u2028', '\\', "\\'", '</script>', '*/ process.exit(1) /*', 'Type', 'collection', 'db', 'convention',
    'snake_case', 'toString', 'hasOwnProperty', 'call', 'args', 'default', '\u202Ecba', '10', '1'),
  fc.string({ minLength: 1, maxLength: 12, unit: 'binary' }), fc.string({ minLength: 1, maxLength: 8 })
).map(text => text.replaceAll(/[\0\p{Cs}]/gu, 'x').trim()).filter(text => text !== '' && !/^sqlite_/i.test(text))

const quote = (text: string) => `"${text.replaceAll('"', '""')}"`
const literal = (text: string) => `'${text.replaceAll("'", "''")}'`

const hostileTable = fc.record({
  name: hostile,
  columns: fc.uniqueArray(hostile, { minLength: 1, maxLength: 5, selector: name => name.toLowerCase() }),
  values: fc.uniqueArray(hostile, { minLength: 1, maxLength: 3 })
})
const hostileTables = fc.uniqueArray(hostileTable, {
  minLength: 1, maxLength: 4, selector: ({ name }) => name.toLowerCase()
})
/** Draws a script that makes SQLite tables, whose names and values are hostile to code that is written of them. */
export const hostileScript = hostileTables.map(tables => tables.map(({ name, columns, values }, index) => {
  const [first = 'x', ...others] = columns
  const target = tables[index - 1]
  const list = [
      `${quote(first)} text primary key not null check (${quote(first)} in (${values.map(literal).join(', ')}))`,
      ...others.map(column => `${quote(column)} text${target === undefined ? '' : ` references ${quote(target.name)}`}`)
  ]
  return `create table ${quote(name)} (${list.join(', ')})`
}).join(';'))

import type { Fault } from './faults.ts'

/** The faults of inserts, of one item and of several by one order. */
export const insertFaults: readonly Fault[] = [
  {
    what: 'run: items that a hook sees are inserted together',
    text: 'hooks.creating !== undefined || hooks.created !== undefined',
    fault: 'hooks.creating !== undefined',
    tests: ['contract/hooks', 'contract/imports', 'contract/writes-by-filter']
  },
  {
    what: 'run: items whose values a setter takes are inserted together',
    text: 'setters.size > 0 && writtenFields(insertion)',
    fault: 'setters.size > 9 && writtenFields(insertion)',
    tests: ['contract/creating']
  },
  {
    what: 'run: the setter of a value of the URL is not asked',
    text: '...values.fields, ...given.map(({ field }) => field),',
    fault: '...values.fields,',
    tests: ['contract/creating']
  },
  {
    what: 'run: what the trigger of a view makes of items is not asked',
    text: 'byTriggers: ({ from: { collection: { source } } }) => source.isReplaced?.() === true,',
    fault: 'byTriggers: () => false,',
    tests: ['sources/views-and-triggers'],
    postgres: true
  },
  {
    what: 'run: items below a parent in a join table are not linked',
    text: "via?.link.kind === 'join',",
    fault: 'via?.link.kind === undefined && via !== undefined,',
    tests: ['contract/creating']
  },
  {
    what: 'run: items that refer to each other are inserted together',
    text: 'rows.length > 1 && refersToItself(collection)',
    fault: 'rows.length > 9 && refersToItself(collection)',
    tests: ['contract/creating'],
    postgres: true
  },
  {
    what: 'run: the key of a later item may be too high',
    text: 'if (keyAt >= 0) checkKey(',
    fault: 'if (keyAt >= 9) checkKey(',
    tests: ['contract/creating']
  },
  {
    what: 'run: an item contradicts the URL',
    text: 'at >= 0 && rows.some(row => row[at] !== value)',
    fault: 'at >= 0 && rows.every(row => row[at] !== value)',
    tests: ['contract/creating']
  },
  {
    what: 'run: what was inserted together is not told',
    text: 'if (from.collection.hooks.saved !== undefined) keys.forEach(',
    fault: 'if (from.collection.hooks.created !== undefined) keys.forEach(',
    tests: ['contract/creating']
  },
  {
    what: 'rules: items that are inserted together are not noted',
    text: 'return isNoted ? { ...change, keyed: true } : change',
    fault: 'return change',
    tests: ['contract/imports-rules', 'contract/non-interference', 'contract/one-law-scopes']
  },
  {
    what: 'sources: an item that a trigger drops is counted',
    text: "if (changed?.kind === 'changed' && changed.count === change.rows.length) return changed",
    fault: "if (changed?.kind === 'changed') return changed",
    tests: ['sources/refused-rows'],
    postgres: true
  },
  {
    what: 'sources: a refused insert of several items undoes the one before it',
    text: 'if (!savepoint.isUnchanged) await savepoint.set(connection)',
    fault: '',
    tests: ['contract/creating'],
    postgres: true
  },
  {
    what: 'sources: the first of several items that is refused ends none of the others',
    text: 'while (count < times && insert(parametersOf(count))) count++',
    fault: 'for (let run = 0; run < times; run++) if (insert(parametersOf(run))) count++',
    tests: ['sources/refused-rows']
  },
  {
    what: 'memory: an item after one that is refused is inserted',
    text: 'else if (rows.length > 1) break',
    fault: 'else if (rows.length > 1) continue',
    tests: ['contract/imports', 'contract/creating', 'contract/writing/laws']
  },
  {
    what: 'statements: a key that was not asked for is missing from what was',
    text: '(orNothing ? 1 : 0) + (keyed ? 2 : 0)',
    fault: '(orNothing ? 1 : 0) + (keyed ? 0 : 0)',
    tests: ['contract/creating']
  }
]

import type { Fault } from './faults.ts'

/** The faults of what lies around the API: pages, documents, clients, own code, commands. */
export const doorFaults: readonly Fault[] = [
  {
    what: 'live: a document keeps its first tag',
    text: '    this.tag = tag\n    for (const stream',
    fault: '    for (const stream',
    tests: ['contract/live-law']
  },
  {
    what: 'explorer: a quote ends an attribute',
    text: '/[&<>"\']/.test(text) ?',
    fault: '/[&<>]/.test(text) ?',
    tests: ['explorer/pages']
  },
  {
    what: 'explorer: any site may frame a page',
    text: '"frame-ancestors \'none\'"',
    fault: '"frame-ancestors *"',
    tests: ['explorer/pages']
  },
  {
    what: 'openapi: JSON has no parameters for null',
    text: 'field.comparesNull ? nullOperands : undefined',
    fault: 'field.identifier ? nullOperands : undefined',
    tests: ['contract/null-of-json']
  },
  {
    what: 'openapi: an array of changes always answers with ids',
    text: '? [creationSchema(on, describing)]',
    fault: '? [createdSchema({})]',
    tests: ['openapi/requests']
  },
  {
    what: 'openapi: a field that may not be read has a filter',
    text: '=> field.readable && field.filterable &&',
    fault: '=> field.filterable &&',
    tests: ['openapi/document', 'openapi/requests']
  },
  {
    what: 'client: a quote ends a text',
    text: String.raw`value.replace(/["\\]/g, '\\$&')`,
    fault: 'value',
    tests: ['client/where']
  },
  {
    what: 'client: no twin of QUERY is tried where CORS hides a refusal',
    text: 'not_api40[03]|network0',
    fault: 'not_api40[03]',
    tests: ['client/client']
  },
  {
    what: 'client: a refusal of the API sends the twin of QUERY, too',
    text: '/405|501|not_api40[03]',
    fault: '/405|501|40[03]',
    tests: ['client/client']
  },
  {
    what: 'client: an identifier of two dots leads to the parent',
    text: String.raw`/^\.{0,2}$/.test(text)`,
    fault: "text === ''",
    tests: ['client/identifiers']
  },
  {
    what: 'tanstack-db: an own row that a page should hold stays',
    text: 'if (write <= since && !held.has(key) && takes(item))',
    fault: 'if (write < 0 && !held.has(key) && takes(item))',
    tests: ['client/tanstack-db-live']
  },
  {
    what: 'data: own code names an item by what may not be read',
    text: 'const isNamed = (one: StoredField) => one.property === name && one.identifier && one.readable',
    fault: 'const isNamed = (one: StoredField) => one.property === name && one.identifier',
    tests: ['data/identifiers', 'data/own-code']
  },
  {
    what: 'command: a quote inside of a CSV value stays double',
    text: 'value += \'"\'',
    fault: 'value += \'""\'',
    tests: ['command/serve', 'command/types']
  }
]

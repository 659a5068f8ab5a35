import { readdirSync } from 'node:fs'
import neostandard from 'neostandard'
import tseslint from 'typescript-eslint'

// A new door comes last, and asks the core by its face.
const known = ['own-code', 'live', 'documents', 'explorer', 'agents']
const doors = [...known, ...readdirSync(new URL('lib/doors', import.meta.url)).filter(name => !known.includes(name))]

// The rooms of lib, in the order in which imports point: one may import from those before it, never from those after
// it. Clients know schemas alone; the core knows their types of queries, which own code shares.
export const order = [
  'node-version', 'clients/client', 'clients/react-admin', 'clients/tanstack-db',
  'core/errors', 'core/scheduling', 'core/declare', 'core/model', 'core/request', 'core/plan', 'core/sources',
  'core/rules', 'core/run', 'core/response', 'core/api',
  ...doors.map(door => `doors/${door}`),
  'plugin', 'index', 'typebox',
  'tools/testing/world', 'tools/testing/serving', 'tools/testing/requests', 'tools/testing/conformance',
  'tools/testing/prove', 'tools/command'
]

// Those that serve requests, and so know Fastify. Of the others, only types of declarations name requests.
const serving = [
  'plugin', 'index', 'tools/testing/serving', 'tools/testing/conformance', 'tools/testing/prove', 'tools/command'
]

// Further bounds: a source and a response do not know how a request was written, and running knows no answers.
const never = {
  'core/sources': ['core/request'],
  'core/response': ['core/request'],
  'core/run': ['core/request'],
  'core/rules': ['core/request']
}

// The doors that ask know the core by its face, by the tree of a query, and by the errors (docs/architecture.md: The
// face). What follows is what they share with the core besides: forms of answers and of requests, and caches.
const asking = doors.map(door => `doors/${door}`)
export const asked = [
  'api/face', 'api/options', 'api/own-face', 'declare/data', 'errors/by-filter', 'errors/errors', 'errors/is-object',
  'errors/suggest', 'model/operators', 'plan/media', 'plan/time-units', 'request/body', 'request/decode',
  'request/made', 'request/parse', 'request/print', 'request/query', 'request/request', 'request/syntax',
  'request/unquoted', 'response/answer', 'response/paths', 'scheduling/batching', 'scheduling/memoize'
]

// The command knows tables and catalogs by one module. What follows is what a program writes, errors, names and texts.
export const commanded = [
  'api/answer', 'declare/collection', 'declare/relations', 'errors/errors', 'errors/printable', 'errors/suggest',
  'model/names', 'model/numbers', 'model/values', 'request/csv', 'request/syntax', 'scheduling/memoize',
  'sources/sql/tables'
]

// What rooms may import of the core, where that is not all.
const bounds = new Map([
  ...asking.map(room => [room, {
    modules: asked, message: `${room} asks the core by lib/core/api/face.ts; what it lacks there is a fact of a view.`
  }]),
  ['tools/command', { modules: commanded, message: 'The command takes tables by lib/core/sources/sql/tables.ts.' }]
])

function roomRules () {
  return order.flatMap((room, place) => [
    rulesOf(room, place, `lib/${room}.ts`, '^\\./'),
    rulesOf(room, place, `lib/${room}/**/*.ts`, '^(\\.\\./)+')
  ])
}

const rulesOf = (room, place, files, toLib) => ({
  files: [files],
  rules: {
    'no-restricted-syntax': [
      'error',
      ...laterThan(room, place).flatMap(later => lazyImports(pathOf(toLib, later), oneWay(room, later))),
      ...unboundIn(room).flatMap(({ modules, message }) => lazyImports(`${toLib}${modules}`, message))
    ],
    '@typescript-eslint/no-restricted-imports': ['error', {
      patterns: [
        ...laterThan(room, place).map(later => ({ regex: pathOf(toLib, later), message: oneWay(room, later) })),
        ...unboundIn(room).map(({ modules, message }) => ({ regex: `${toLib}${modules}`, message })),
        ...serving.includes(room)
          ? []
          : [{
              regex: '^fastify',
              allowTypeImports: room === 'core/declare',
              message: `Only ${serving.slice(0, -1).join(', ')} and ${serving.at(-1)} know Fastify.`
            }]
      ]
    }]
  }
})

const laterThan = (room, place) => [...order.slice(place + 1), ...never[room] ?? []]

// From the same folder, a room is named without it.
const pathOf = (toLib, later) => `${toLib}(?:${endsOf(later.split('/')).join('|')})(\\.ts|/)`

const endsOf = folders => folders.map((_, index) => folders.slice(index).join('/'))

const oneWay = (room, later) => `${room} comes before ${later}: imports point one way.`

// The modules of the core that a room must not import, with the reason.
function unboundIn (room) {
  const bound = bounds.get(room)
  if (bound === undefined) return []
  return [{ modules: `core/(?!(?:${bound.modules.join('|')})\\.ts$)`, message: bound.message }]
}

// Modules that are loaded when they are used, and types that are named by their modules.
const lazyImports = (modules, message) => {
  const path = `/${modules.replaceAll('/', '\\/')}/`
  return [
    { selector: `ImportExpression[source.value=${path}]`, message },
    { selector: `TSImportType[argument.literal.value=${path}]`, message }
  ]
}

// What needs no types: npm run check lints by these alone, because the others have all code type-checked once more.
export const style = [
  ...neostandard({ ts: true, ignores: ['dist', '.tap', 'examples/desk/web/dist'] }),
  {
    files: ['**/*.ts'],
    languageOptions: { parser: tseslint.parser },
    plugins: { '@typescript-eslint': tseslint.plugin },
    rules: {
      '@typescript-eslint/no-redeclare': 'off',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error'
    }
  },
  ...roomRules(),
  {
    files: ['schemas/**/*.ts'],
    rules: {
      '@typescript-eslint/no-restricted-imports': ['error', {
        patterns: [{ regex: '^\\.\\./', message: 'schemas comes before all rooms of lib: imports point one way.' }]
      }]
    }
  },
  {
    files: ['lib/**/*.ts', 'schemas/**/*.ts'],
    rules: {
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }]
    }
  },
  { rules: { '@stylistic/max-len': ['error', { code: 120 }], 'max-lines': ['error', { max: 500 }] } },
  {
    files: ['test/**'],
    rules: {
      'promise/param-names': 'off',
      'one-var': 'off',
      'no-restricted-syntax': ['error', {
        selector: "Property[key.name='numRuns'] > BinaryExpression[operator='/']",
        message: 'fast-check never ends where this is not a whole number: take it from runsOf.'
      }]
    }
  }
]

export default [
  ...style,
  {
    files: ['**/*.ts'],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-unsafe-argument': 'error'
    }
  },
  {
    // Their packages, and the package itself, need not be there.
    files: ['examples/desk/web/**'],
    ...tseslint.configs.disableTypeChecked
  },
  {
    files: ['test/**/*.ts'],
    // tap waits for its tests itself.
    rules: {
      '@typescript-eslint/no-floating-promises': ['error', {
        allowForKnownSafeCalls: ['@tapjs/core', 'tap'].map(name => ({ from: 'package', package: name, name: 'test' }))
      }]
    }
  }
]

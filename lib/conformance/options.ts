import type { DataOptions } from '../../schemas/options.ts'
import type { RequestStrategies } from '../../schemas/request-strategies.ts'
import type { Pages } from '../declare/collection.ts'
import type { ValueGenerator } from './generator.ts'

/** Returns an API's options. `mayDelete`: the database keeps rows that others refer to, as memory() does. */
export function generateOptions (generator: ValueGenerator, mayDelete: boolean): DataOptions {
  return {
    prefix: generator.weighted([4, ''], [1, '/api'], [1, '/a/b']),
    naming: generator.weighted<'snake_case' | 'camelCase' | 'kebab-case' | 'PascalCase' | 'none'>(
      [4, 'snake_case'],
      [1, 'camelCase'],
      [1, 'kebab-case'],
      [1, 'PascalCase'],
      [1, 'none']
    ),
    requestStrategies: {
      update: generator.weighted<Array<'PUT' | 'PATCH'>>([6, ['PUT', 'PATCH']], [1, ['PUT']], [1, ['PATCH']]),
      upsert: !generator.chance(50),
      delete: mayDelete && !generator.chance(30)
    },
    responseContent: generateResponseContent(generator),
    pages: generatePages(generator),
    queryString: {
      ...generator.chance(10) && { fieldParameters: false },
      ...generator.chance(10) && { dictionaryPrefix: 'per-' },
      ...generator.chance(10) && { limits: { depth: 2, terms: 4, listLength: 3, fields: 6, sortTerms: 2, items: 1000 } }
    },
    bodies: { ...generator.chance(10) && { depth: 4, items: 3 } },
    ...generator.chance(15) && { baseUrl: 'https://example.org/data' }
  }
}

const generateResponseContent = (generator: ValueGenerator): NonNullable<DataOptions['responseContent']> => ({
  createdBody: generator.weighted<'id' | 'status' | 'none'>([4, 'id'], [1, 'status'], [1, 'none']),
  pageLinks: generator.weighted<'header' | 'wrapped' | 'both' | 'none'>(
    [4, 'header'],
    [1, 'wrapped'],
    [1, 'both'],
    [1, 'none']
  ),
  previousLink: !generator.chance(20),
  linkStyle: generator.weighted<'auto' | 'page' | 'offset' | 'keyset'>(
    [4, 'auto'],
    [1, 'page'],
    [1, 'offset'],
    [2, 'keyset']
  ),
  errors: generator.weighted<'plain' | 'problem'>([4, 'plain'], [1, 'problem'])
})

/** Returns page sizes, most of them small, so that a few rows fill more than one page. */
export const generatePages = (generator: ValueGenerator): Pages => generator.weighted<Pages>(
  [4, {}],
  [2, { defaultSize: 3, maxSize: 1000 }],
  [1, { defaultSize: 1, maxSize: 4 }],
  [1, { defaultSize: 2, maxSize: 2 }]
)

/** Returns request strategies of a collection; those that it omits are the API's. */
export const generateStrategies = (generator: ValueGenerator, mayDelete: boolean): RequestStrategies => ({
  ...generator.chance(10) && { create: false },
  ...generator.chance(10) && { upsert: generator.chance(50) },
  ...generator.chance(10) && { delete: mayDelete },
  ...generator.chance(10) && { requireIfMatch: true }
})

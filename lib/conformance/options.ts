import type { DataOptions } from '../../schemas/options.ts'
import type { RequestStrategies } from '../../schemas/request-strategies.ts'
import type { Pages } from '../collection.ts'
import type { Draw } from './draw.ts'

/** The options of an API. `mayDelete`: whether the database holds back what others refer to, as memory() does. */
export function drawOptions (draw: Draw, mayDelete: boolean): DataOptions {
  return {
    prefix: draw.weighted([4, ''], [1, '/api'], [1, '/a/b']),
    naming: draw.weighted<'snake_case' | 'camelCase' | 'kebab-case' | 'PascalCase' | 'none'>([4, 'snake_case'], [1, 'camelCase'], [1, 'kebab-case'], [1, 'PascalCase'], [1, 'none']),
    requestStrategies: { update: draw.weighted<Array<'PUT' | 'PATCH'>>([6, ['PUT', 'PATCH']], [1, ['PUT']], [1, ['PATCH']]), upsert: !draw.chance(50), delete: mayDelete && !draw.chance(30) },
    responseContent: {
      createdBody: draw.weighted<'id' | 'status' | 'none'>([4, 'id'], [1, 'status'], [1, 'none']),
      pageLinks: draw.weighted<'header' | 'wrapped' | 'both' | 'none'>([4, 'header'], [1, 'wrapped'], [1, 'both'], [1, 'none']),
      previousLink: !draw.chance(20),
      linkStyle: draw.weighted<'auto' | 'page' | 'offset' | 'keyset'>([4, 'auto'], [1, 'page'], [1, 'offset'], [2, 'keyset']),
      errors: draw.weighted<'plain' | 'problem'>([4, 'plain'], [1, 'problem'])
    },
    pages: drawPages(draw),
    queryString: { ...draw.chance(10) && { fieldParameters: false }, ...draw.chance(10) && { dictionaryPrefix: 'per-' }, ...draw.chance(10) && { limits: { depth: 2, terms: 4, listLength: 3, fields: 6, sortTerms: 2, items: 1000 } } },
    bodies: { ...draw.chance(10) && { depth: 4, items: 3 } },
    ...draw.chance(15) && { baseUrl: 'https://example.org/data' }
  }
}

/** Small pages, so that few rows fill more than one. */
export const drawPages = (draw: Draw): Pages => draw.weighted<Pages>([4, {}], [2, { defaultSize: 3, maxSize: 1000 }], [1, { defaultSize: 1, maxSize: 4 }], [1, { defaultSize: 2, maxSize: 2 }])

/** Of a collection; what is left out is as for the whole API. */
export const drawStrategies = (draw: Draw, mayDelete: boolean): RequestStrategies => ({
  ...draw.chance(10) && { create: false },
  ...draw.chance(10) && { upsert: draw.chance(50) },
  ...draw.chance(10) && { delete: mayDelete },
  ...draw.chance(10) && { requireIfMatch: true }
})

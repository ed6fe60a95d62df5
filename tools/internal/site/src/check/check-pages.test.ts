import { expect, it } from 'vitest'
import { selectTwoOfEachTemplate } from './check-pages.js'

it('chooses two pages of each template', () => {
  const paths = [
    '',
    '404.html',
    'api/',
    'api/create-speech/',
    'api/list-models/',
    'api/top-up/',
    'guides/errors/',
    'packages/auth-exports/',
    'packages/auth/',
    'packages/cli/',
    'packages/retry-exports/',
    'packages/retry/',
    'packages/zod-exports/',
    'reference/changelog/',
    'reference/diagnostics/',
    'start/',
  ].map((path) => `/docs/${path}`)
  const left = new Set(selectTwoOfEachTemplate(paths, '/docs/'))
  expect(paths.filter((path) => !left.has(path))).toEqual([
    '/docs/api/list-models/',
    '/docs/packages/cli/',
    '/docs/packages/retry-exports/',
  ])
})

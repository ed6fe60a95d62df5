import { expect, it } from 'vitest'
import { changed, good } from '../test/document.js'
import { lint } from '../test/lint.js'

const at = ['paths', '/models', 'get', 'responses', '503']

it('requires of each operation a 503 that says when to retry', async () => {
  const complaints = await lint('unavailable', {
    good,
    without: changed(at, undefined),
    withoutTime: changed([...at, 'headers', 'Retry-After'], undefined),
  })

  expect(complaints).toEqual({
    good: [],
    without: [
      '#/paths/~1models/get: The operation does not declare 503: see spec/responses/Unavailable.yaml.',
    ],
    withoutTime: [
      '#/paths/~1models/get/responses/503: The response 503 does not declare Retry-After: see spec/headers/Retry-After.yaml.',
    ],
  })
})

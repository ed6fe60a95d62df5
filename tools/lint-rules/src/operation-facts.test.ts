import { expect, it } from 'vitest'
import { changed, good } from '../test/document.js'
import { lint } from '../test/lint.js'

it('wants to know of each operation whether a second send does harm and what limits it', async () => {
  const complaints = await lint('operation-facts', {
    good,
    silent: changed(['paths', '/audio/speech', 'post', 'x-idempotent'], undefined),
    text: changed(['paths', '/audio/speech', 'post', 'x-idempotent'], 'no'),
    unlimited: changed(['paths', '/audio/speech', 'post', 'x-rate-limit'], undefined),
    unknownClass: changed(['paths', '/audio/speech', 'post', 'x-rate-limit'], 'video'),
  })

  expect(complaints).toEqual({
    good: [],
    silent: ['#/paths/~1audio~1speech/post: There is no x-idempotent: expected true when a second send does no harm, else false.'],
    text: ['#/paths/~1audio~1speech/post: Found the x-idempotent "no": expected true when a second send does no harm, else false.'],
    unlimited: ['#/paths/~1audio~1speech/post: There is no x-rate-limit: expected a class of the table x-rate-limits (audio).'],
    unknownClass: ['#/paths/~1audio~1speech/post: Found the x-rate-limit "video": expected a class of the table x-rate-limits (audio).'],
  })
})

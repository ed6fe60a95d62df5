import { expect, it } from 'vitest'
import { changed, good } from '../test/document.js'
import { lint } from '../test/lint.js'

it('wants all six rate-limit headers on every response', async () => {
  const complaints = await lint('rate-limit-headers', {
    good,
    none: changed(['paths', '/audio/speech', 'post', 'responses', '200', 'headers'], undefined),
    one: changed(
      ['paths', '/audio/speech', 'post', 'responses', '400', 'headers', 'x-ratelimit-reset-tokens'],
      undefined,
    ),
  })

  expect(complaints).toEqual({
    good: [],
    none: [
      '#/paths/~1audio~1speech/post/responses/200: The response 200 does not declare x-ratelimit-limit-requests, x-ratelimit-remaining-requests, x-ratelimit-reset-requests, x-ratelimit-limit-tokens, x-ratelimit-remaining-tokens, x-ratelimit-reset-tokens: every response carries them, see spec/headers.',
    ],
    one: [
      '#/paths/~1audio~1speech/post/responses/400: The response 400 does not declare x-ratelimit-reset-tokens: every response carries them, see spec/headers.',
    ],
  })
})

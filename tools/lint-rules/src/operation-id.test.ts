import { expect, it } from 'vitest'
import { changed, good } from '../test/document.js'
import { lint } from '../test/lint.js'

it('takes a verb and its object in camelCase for an operationId and nothing else', async () => {
  const complaints = await lint('operation-id', {
    good,
    snake: changed(['paths', '/audio/speech', 'post', 'operationId'], 'create_speech'),
    verbOnly: changed(['paths', '/audio/speech', 'post', 'operationId'], 'create'),
    missing: changed(['paths', '/audio/speech', 'post', 'operationId'], undefined),
  })

  expect(complaints).toEqual({
    good: [],
    snake: [
      '#/paths/~1audio~1speech/post/operationId: Found the operationId "create_speech": expected a verb and its object in camelCase, such as createSpeech.',
    ],
    verbOnly: [
      '#/paths/~1audio~1speech/post/operationId: Found the operationId "create": expected a verb and its object in camelCase, such as createSpeech.',
    ],
    missing: [
      '#/paths/~1audio~1speech/post: There is no operationId: expected a verb and its object in camelCase, such as createSpeech.',
    ],
  })
})

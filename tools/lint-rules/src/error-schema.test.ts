import { expect, it } from 'vitest'
import { changed, good } from '../test/document.js'
import { lint } from '../test/lint.js'

it('wants a body with a schema for every 4xx and 5xx', async () => {
  const complaints = await lint('error-schema', {
    good,
    noContent: changed(['paths', '/audio/speech', 'post', 'responses', '400'], {
      description: 'Wrong.',
    }),
    noSchema: changed(['paths', '/audio/speech', 'post', 'responses', '400'], {
      description: 'Wrong.',
      content: { 'application/json': {} },
    }),
    noContentIn200: changed(['paths', '/audio/speech', 'post', 'responses', '200'], {
      description: 'Empty.',
    }),
  })

  expect(complaints).toEqual({
    good: [],
    noContent: [
      '#/paths/~1audio~1speech/post/responses/400: The response 400 has no content: give it a body with a schema, such as StandardError.',
    ],
    noSchema: [
      '#/paths/~1audio~1speech/post/responses/400/content/application~1json: The response 400 has no schema for application/json: say what the body is, such as StandardError.',
    ],
    noContentIn200: [],
  })
})

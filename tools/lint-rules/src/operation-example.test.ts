import { expect, it } from 'vitest'
import { changed, good } from '../test/document.js'
import { lint } from '../test/lint.js'

it('wants an example of every JSON body, and one for each operation', async () => {
  const complaints = await lint('operation-example', {
    good,
    noExample: changed(['paths', '/audio/speech', 'post', 'requestBody'], {
      content: { 'application/json': { schema: { type: 'object' } } },
    }),
    onlyBytes: changed(['paths', '/audio/speech', 'post'], {
      operationId: 'createSpeech',
      responses: {
        '200': {
          description: 'Audio.',
          content: { 'audio/mpeg': { schema: { type: 'string', format: 'binary' } } },
        },
      },
    }),
  })

  expect(complaints).toEqual({
    good: [],
    noExample: [
      '#/paths/~1audio~1speech/post/requestBody/content/application~1json: There is no example of application/json here: add one below spec/examples.',
    ],
    onlyBytes: [
      '#/paths/~1audio~1speech/post: createSpeech has no example: add one below spec/examples.',
    ],
  })
})

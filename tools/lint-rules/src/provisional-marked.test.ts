import { expect, it } from 'vitest'
import { changed, good } from '../test/document.js'
import { lint } from '../test/lint.js'

it('wants the mark on provisional operations and on no other', async () => {
  const complaints = await lint('provisional-marked', {
    good,
    forgotten: changed(['paths', '/models', 'get', 'x-provisional'], undefined),
    empty: changed(['paths', '/models', 'get', 'x-provisional'], ' '),
    short: changed(['paths', '/models', 'get', 'x-provisional'], true),
    whole: changed(['paths', '/audio/speech', 'post', 'x-provisional'], true),
  })

  expect(complaints).toEqual({
    good: [],
    forgotten: [
      '#/paths/~1models/get/operationId: listModels is not described whole by the interface specification: say in x-provisional where it comes from.',
    ],
    empty: [
      '#/paths/~1models/get/operationId: listModels is not described whole by the interface specification: say in x-provisional where it comes from.',
    ],
    short: [],
    whole: [
      '#/paths/~1audio~1speech/post/x-provisional: createSpeech is described whole by the interface specification: take x-provisional away, or mark the part that is not.',
    ],
  })
})

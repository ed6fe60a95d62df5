import { expect, it } from 'vitest'
import { changeGood, good } from '../test/document.js'
import { lint } from '../test/lint.js'

it.concurrent('keeps closed what the interface specification closes, and the rest open', async () => {
  const complaints = await lint('closed-objects', {
    good,
    opened: changeGood(['components', 'schemas', 'LedgerEntry'], { type: 'object' }),
    gone: changeGood(['components', 'schemas', 'LedgerEntry'], undefined),
    closed: changeGood(['components', 'schemas', 'Open'], {
      type: 'object',
      properties: { inner: { type: 'object', additionalProperties: false } },
    }),
  })

  expect(complaints).toEqual({
    good: [],
    opened: [
      '#/components/schemas/LedgerEntry: LedgerEntry must stay closed: write additionalProperties: false.',
    ],
    gone: [
      '#/components: There is no schema LedgerEntry: the interface specification has it, as a closed object.',
    ],
    closed: [
      '#/components/schemas/Open: Open must stay open: the interface specification does not close it, so take the false away.',
    ],
  })
})

it.concurrent('wants a body with a schema for every 4xx and 5xx', async () => {
  const complaints = await lint('error-schema', {
    good,
    noContent: changeGood(['paths', '/audio/speech', 'post', 'responses', '400'], {
      description: 'Wrong.',
    }),
    noSchema: changeGood(['paths', '/audio/speech', 'post', 'responses', '400'], {
      description: 'Wrong.',
      content: { 'application/json': {} },
    }),
    noContentIn200: changeGood(['paths', '/audio/speech', 'post', 'responses', '200'], {
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

import { expect, it } from 'vitest'
import { changed, good } from '../test/document.js'
import { lint } from '../test/lint.js'

it('keeps closed what the interface specification closes, and the rest open', async () => {
  const complaints = await lint('closed-objects', {
    good,
    opened: changed(['components', 'schemas', 'LedgerEntry'], { type: 'object' }),
    gone: changed(['components', 'schemas', 'LedgerEntry'], undefined),
    closed: changed(['components', 'schemas', 'Open'], {
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

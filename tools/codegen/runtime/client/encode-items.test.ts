import { describe, expect, it } from 'vitest'
import type { BodyFacts, OperationFacts, PreparedBody } from './call.js'
import { takeBody } from './body.js'
import { encodeLines, encodeSequence } from './encode-items.js'
import { InvalidInputError } from './invalid-input-error.js'

const operation: OperationFacts = {
  id: 'send',
  method: 'POST',
  path: '/',
  security: [[]],
  idempotent: false,
  parameters: [],
  responses: {},
}
const body: BodyFacts = { contentType: 'application/jsonl', take: takeBody, encode: encodeLines }

async function readText({ body: made }: PreparedBody): Promise<string> {
  return new Response(typeof made === 'function' ? made() : made).text()
}

async function* yieldNumbers() {
  yield 1
  yield* [2, 3]
}

describe('items of a request', () => {
  it('are lines, or records with a separator, under the media type of the contract', async () => {
    const lines = await encodeLines([1, { a: 'x\n' }], body, operation)
    expect([await readText(lines), lines.contentType]).toEqual([
      '1\n{"a":"x\\n"}\n',
      'application/jsonl',
    ])
    expect(await readText(await encodeSequence(new Set([1, 2]), body, operation))).toBe(
      '\x1E1\n\x1E2\n',
    )
  })

  it('are sent as a generator yields them, one per pull', async () => {
    let made = 0
    async function* counted() {
      for (;;) yield await Promise.resolve(++made)
    }
    const { body: open } = await encodeLines(counted(), body, operation)
    const reader = (open as () => ReadableStream<Uint8Array>)().getReader()
    expect(new TextDecoder().decode((await reader.read()).value)).toBe('1\n')
    await reader.read()
    // one more is made ahead, as any stream does
    expect(made).toBeLessThanOrEqual(3)
    await reader.cancel()
  })

  it('are produced again for another attempt, unless they are single-use', async () => {
    const again = await encodeLines({ [Symbol.asyncIterator]: yieldNumbers }, body, operation)
    expect([await readText(again), await readText(again)]).toEqual(['1\n2\n3\n', '1\n2\n3\n'])
    const once = await encodeLines(yieldNumbers(), body, operation)
    expect(await readText(once)).toBe('1\n2\n3\n')
    await expect(readText(once)).rejects.toThrow(
      'send: the items of the body were made for an earlier attempt and cannot be made again.',
    )
  })

  it('may be text or bytes that the caller has encoded, and nothing else', async () => {
    expect(await readText(await encodeLines('1\n', body, operation))).toBe('1\n')
    await expect(async () =>
      encodeLines(new Blob(['1']).stream(), body, operation),
    ).rejects.toThrow(InvalidInputError)
    expect(
      await readText(await encodeLines(new TextEncoder().encode('1\n'), body, operation)),
    ).toBe('1\n')
    expect(() => encodeLines({ a: 1 }, body, operation)).toThrow(InvalidInputError)
  })
})

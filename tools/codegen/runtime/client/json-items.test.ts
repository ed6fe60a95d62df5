import { describe, expect, it } from 'vitest'
import type { OperationFacts, ResponseReader } from './call.js'
import { readLines, readSequence } from './json-items.js'
import type { ItemStream } from './stream.js'

const operation: OperationFacts = {
  id: 'list',
  method: 'GET',
  path: '/',
  security: [[]],
  idempotent: true,
  parameters: [],
  responses: {},
}

/** The items of a string, in as many chunks as it has bytes. */
async function readItems(
  read: ResponseReader,
  text: string,
  maxBytes = 1e6,
): Promise<readonly unknown[]> {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const byte of new TextEncoder().encode(text)) controller.enqueue(Uint8Array.of(byte))
      controller.close()
    },
  })
  const items: unknown[] = []
  for await (const item of read(operation, new Response(body), maxBytes) as ItemStream<unknown>)
    items.push(item)
  return items
}

const broken = {
  reason: 'malformed_json',
  message: 'list: the response 200 has an item that is broken JSON',
}

describe('JSON in lines', () => {
  it('has one item per line, with any line ending, and none required at the end', async () => {
    expect(await readItems(readLines, '{"a":"ö"}\r\n\n[1]\n  \n"last"')).toEqual([
      { a: 'ö' },
      [1],
      'last',
    ])
    expect(await readItems(readLines, '')).toEqual([])
  })

  it('fails at an invalid line, even at the end', async () => {
    await expect(readItems(readLines, '1\n{"a":\n')).rejects.toMatchObject(broken)
    await expect(readItems(readLines, '1\n{"a":')).rejects.toMatchObject(broken)
  })

  it('has a limit for each line', async () => {
    expect(await readItems(readLines, '12345678\n'.repeat(3), 8)).toHaveLength(3)
    await expect(readItems(readLines, '123456789\n', 8)).rejects.toMatchObject({
      reason: 'too_large',
    })
  })
})

describe('a JSON text sequence (RFC 7464)', () => {
  it('has items between a separator and a line feed, which may contain line feeds', async () => {
    const text = '\x1E{"a":\n[1,\n"]\\"\n]"]}\n\x1E"}"\n\x1E\n\x1E\x1E1\n\x1Etrue\n'
    await expect(readItems(readSequence, text)).rejects.toMatchObject(broken)
    expect(await readItems(readSequence, text.replace('\\"\n', '\\"'))).toEqual([
      { a: [1, ']"]'] },
      '}',
      1,
      true,
    ])
  })

  it('emits an item before the next one begins', async () => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    const stream = readSequence(operation, new Response(readable), 100) as ItemStream<unknown>
    void writable.getWriter().write(new TextEncoder().encode('\x1E{"a":\n1}\n'))
    expect(await stream.next()).toEqual({ done: false, value: { a: 1 } })
  })

  it('may end without a line feed, but not within a number or a literal', async () => {
    expect(await readItems(readSequence, '\x1E1\n\x1E{"a":1}')).toEqual([1, { a: 1 }])
    const cut = {
      reason: 'malformed_json',
      message: 'list: the response 200 has an item that was cut off',
    }
    await expect(readItems(readSequence, '\x1E12')).rejects.toMatchObject(cut)
    await expect(readItems(readSequence, '\x1Etrue\x1E1\n')).rejects.toMatchObject(cut)
    await expect(readItems(readSequence, '\x1E{"a"')).rejects.toMatchObject(broken)
  })

  it('has a limit for each item', async () => {
    expect(await readItems(readSequence, '\x1E[1,\n2]\n'.repeat(3), 8)).toHaveLength(3)
    await expect(readItems(readSequence, '\x1E[1,\n2,\n3]\n', 8)).rejects.toMatchObject({
      reason: 'too_large',
    })
  })
})

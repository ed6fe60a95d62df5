import { readFile } from 'node:fs/promises'
import { deflateRawSync, deflateSync, constants } from 'node:zlib'
import { deepTest } from '@farebox/testing/rounds'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import type { TextParseError } from './text-errors.js'
import { createTextParser, type TextParser, type TextParserOptions } from './text-parser.js'

const builtWorker = new URL('../../../dist/domain/text/parse-worker.js', import.meta.url)

const readFixture = async (name: string): Promise<Uint8Array> =>
  new Uint8Array(await readFile(new URL(`../../../fixtures/${name}`, import.meta.url)))

const toBytes = (text: string): Uint8Array => new TextEncoder().encode(text)

/**
 * A worker that says that it is ready, then does `onMessage` with each file, whose first byte is
 * `first`.
 */
const createWorkerUrl = (onMessage: string): URL =>
  new URL(
    `data:text/javascript,${encodeURIComponent(`
      import { parentPort } from 'node:worker_threads'
      const answer = (text) => parentPort.postMessage({ kind: 'done', value: { text, tokens: 1 } })
      parentPort.on('message', ({ bytes }) => { const first = bytes[0]; ${onMessage} })
      parentPort.postMessage({ kind: 'ready' })`)}`,
  )

type Fault = { readonly code?: string }

const open: TextParser[] = []
const openParser = (options: TextParserOptions): TextParser => {
  const made = createTextParser(options)
  open.push(made)
  return made
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((made) => made.close()))
})

describe('the built worker', () => {
  // one for several cases: a worker takes as long to start as to read many files
  const lasting = createTextParser({ workerUrl: builtWorker, size: 1 })
  afterAll(() => lasting.close())

  test('parses every kind of file concurrently, each with its tokens', async () => {
    const made = openParser({ workerUrl: builtWorker, size: 2 })
    const names = ['pdf', 'docx', 'pptx', 'xlsx', 'txt']
    const results = await Promise.all(
      names.map(async (kind) => made.parse(await readFixture(`fare-table.${kind}`))),
    )
    expect(results.map(({ text }) => text.includes('Single ride'))).toEqual([
      true,
      true,
      true,
      true,
      true,
    ])
    expect(results.at(-1)?.tokens).toBe(55)
  })

  deepTest('is the default', async () => {
    expect(await openParser({}).parse(toBytes('Single ride'))).toEqual({
      text: 'Single ride',
      tokens: 2,
    })
  })

  test('returns the error code of an invalid file, and continues', async () => {
    await expect(lasting.parse(new Uint8Array(0))).rejects.toMatchObject({
      name: 'TextParseError',
      code: 'empty',
    })
    await expect(lasting.parse(await readFixture('encrypted.pdf'))).rejects.toMatchObject({
      code: 'encrypted',
    })
    expect(await lasting.parse(toBytes('Single ride'))).toEqual({ text: 'Single ride', tokens: 2 })
  })

  deepTest('stops a PDF document whose page inflates without end', async () => {
    const content = deflateSpaces(100)
    await expect(lasting.parse(createPdf(content))).rejects.toMatchObject({
      code: 'too_complex',
      message: 'A part of the file inflates to more memory than is allowed, as archive bombs do.',
    })
    expect(
      (await lasting.parse(createPdf(deflateSync('BT /F1 12 Tf (Single ride) Tj ET')))).text,
    ).toBe('Single ride')
  })

  test('transfers an array that spans its buffer, and copies a view of a larger one', async () => {
    const whole = toBytes('Single ride')
    await lasting.parse(whole)
    expect(whole.length).toBe(0)

    const larger = toBytes('xx Single ride xx')
    expect((await lasting.parse(larger.subarray(3, 14))).text).toBe('Single ride')
    expect(larger.length).toBe(17)
  })
})

describe('the pool', () => {
  test('stops a worker that takes too long, and starts another', async () => {
    const made = openParser({
      workerUrl: createWorkerUrl('if (first === 1) for (;;); else answer("done")'),
      size: 1,
      timeoutMs: 1500,
    })
    await expect(made.parse(Uint8Array.of(1))).rejects.toMatchObject({
      code: 'timeout',
      message: 'The file was not read within 1500 ms. Send a smaller or simpler one.',
    })
    expect(await made.parse(Uint8Array.of(2))).toEqual({ text: 'done', tokens: 1 })
  })

  test.each([
    ['throws', 'throw new Error("secret")'],
    ['exits', 'process.exit(3)'],
  ])('rejects only the file on which a worker %s', async (_, fault) => {
    const made = openParser({
      workerUrl: createWorkerUrl(`if (first === 1) { ${fault} } else answer("done")`),
      size: 1,
    })
    const [first, second] = await Promise.allSettled([
      made.parse(Uint8Array.of(1)),
      made.parse(Uint8Array.of(2)),
    ])
    expect(first).toMatchObject({
      reason: { code: 'corrupt', message: 'The file could not be read: its reader failed on it.' },
    })
    expect(second).toEqual({ status: 'fulfilled', value: { text: 'done', tokens: 1 } })
  })

  test('says that a worker failed on a file, however soon after its start', async () => {
    const made = Array.from({ length: 8 }, () =>
      openParser({ workerUrl: createWorkerUrl('throw new Error("secret")'), size: 1 }),
    )
    const results = await Promise.allSettled(made.map((one) => one.parse(Uint8Array.of(1))))
    const codes = results.map((one) => one.status === 'rejected' && (one.reason as Fault).code)
    expect(codes).toEqual(made.map(() => 'corrupt'))
  })

  test('calls a file that fills the heap of its worker too complex', async () => {
    const fill = 'const all = []; for (;;) all.push(Array.from({ length: 10000 }, () => ({})))'
    const made = openParser({ workerUrl: createWorkerUrl(fill), size: 1, maxHeapMb: 32 })
    await expect(made.parse(Uint8Array.of(1))).rejects.toMatchObject({
      code: 'too_complex',
      message: 'The file needs more memory to read than is allowed. Send a smaller or simpler one.',
    })
  })

  test('rejects files beyond the queue limit', async () => {
    const made = openParser({ workerUrl: createWorkerUrl(''), size: 1, maxQueue: 1 })
    const held = Promise.allSettled([made.parse(Uint8Array.of(1)), made.parse(Uint8Array.of(2))])
    await expect(made.parse(Uint8Array.of(3))).rejects.toMatchObject({
      code: 'overloaded',
      message:
        'The text parser has too many files waiting; the file was not read. Send it again later.',
    })
    await made.close()
    expect((await held).map((result) => result.status)).toEqual(['rejected', 'rejected'])
  })

  deepTest('queues small files of any number of callers', async () => {
    const made = openParser({ workerUrl: builtWorker })
    const files = Array.from({ length: 800 }, (_, index) =>
      made.parse(toBytes(`Single ride ${index}`), `caller ${index % 50}`),
    )
    const texts = (await Promise.all(files)).map(({ text }) => text)
    expect(texts).toEqual(Array.from({ length: 800 }, (_, index) => `Single ride ${index}`))
  })

  test('gives one caller half of the queue at most', async () => {
    const made = openParser({ workerUrl: createWorkerUrl(''), size: 1, maxQueueBytes: 100 })
    const outcome = (length: number, caller: string) =>
      Promise.race([
        made
          .parse(new Uint8Array(length), caller)
          .catch((error: unknown) => (error as TextParseError).code),
        new Promise((resolve) => setImmediate(resolve, 'waits')),
      ])
    expect(await outcome(1, 'busy')).toBe('waits')
    expect(await outcome(40, 'greedy')).toBe('waits')
    expect(await outcome(11, 'greedy')).toBe('overloaded')
    expect(await outcome(50, 'other')).toBe('waits')
    expect(await outcome(11, 'third')).toBe('overloaded')
    expect(await outcome(10, 'third')).toBe('waits')
  })

  test('keeps a worker for other callers while one caller has files that never end', async () => {
    const made = openParser({
      workerUrl: createWorkerUrl('if (first !== 1) answer("done")'),
      size: 2,
    })
    const endless = Promise.allSettled([1, 2, 3].map(() => made.parse(Uint8Array.of(1), 'greedy')))
    const others = await Promise.all(
      ['a', 'b', 'a'].map((caller) => made.parse(Uint8Array.of(2), caller)),
    )
    expect(others.map(({ text }) => text)).toEqual(['done', 'done', 'done'])
    await made.close()
    expect((await endless).map(({ status }) => status)).toEqual([
      'rejected',
      'rejected',
      'rejected',
    ])
  })

  test('lets callers take turns', async () => {
    const made = openParser({ workerUrl: createWorkerUrl('answer(String(first))'), size: 1 })
    const order: number[] = []
    const parse = async (first: number, caller: string) => {
      await made.parse(Uint8Array.of(first), caller)
      order.push(first)
    }
    await Promise.all([
      parse(1, 'a'),
      parse(2, 'a'),
      parse(3, 'a'),
      parse(4, 'b'),
      parse(5, 'c'),
      parse(6, 'b'),
    ])
    expect(order).toEqual([1, 4, 5, 2, 6, 3])
  })

  test('rejects running and new work after it has closed', async () => {
    const made = openParser({ workerUrl: createWorkerUrl(''), size: 1 })
    const busy = made.parse(Uint8Array.of(1)).catch((error: unknown) => error)
    await made.close()
    expect(await busy).toMatchObject({ code: 'overloaded' })
    await expect(made.parse(Uint8Array.of(2))).rejects.toMatchObject({
      code: 'overloaded',
      message: 'The text parser is shutting down; the file was not read. Send it again later.',
    })
  })

  test('names the worker that did not start instead of blaming a file', async () => {
    const made = openParser({ workerUrl: new URL('./absent.js', import.meta.url), size: 1 })
    const error: unknown = await made.parse(Uint8Array.of(1)).catch((error: unknown) => error)
    expect(error).toMatchObject({
      name: 'Error',
      message: expect.stringContaining('absent.js did not start') as string,
    })
  })

  test('hides the environment from workers', async () => {
    const made = openParser({
      workerUrl: createWorkerUrl('answer(Object.keys(process.env).join())'),
    })
    expect((await made.parse(Uint8Array.of(1))).text).toBe('')
  })
})

/** As deflate makes it of so many times 4 MB of spaces, whose compression is the same each time. */
function deflateSpaces(times: number): Uint8Array {
  const block = deflateRawSync(Buffer.alloc(4_000_000, 32), { finishFlush: constants.Z_FULL_FLUSH })
  const head = Buffer.of(0x78, 0x9c)
  // the last block is empty, and the checksum is one that no reader gets to
  return Buffer.concat([
    head,
    ...Array.from({ length: times }, () => block),
    Buffer.of(0x03, 0x00, 0, 0, 0, 0),
  ])
}

function createPdf(content: Uint8Array): Uint8Array {
  const objects = [
    '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n',
    '3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<</Font<</F1 5 0 R>>>>/Contents 4 0 R>>endobj\n',
    `5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\n4 0 obj<</Filter/FlateDecode/Length ${content.length}>>stream\n`,
  ]
  return new Uint8Array(
    Buffer.concat([
      Buffer.from(objects.join('')),
      content,
      Buffer.from('\nendstream endobj\ntrailer<</Root 1 0 R>>\n%%EOF'),
    ]),
  )
}

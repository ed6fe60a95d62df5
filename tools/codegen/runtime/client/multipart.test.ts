import { createReadStream } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { character } from '../arbitraries/scalars.js'
import type { PreparedBody } from './call.js'
import { InvalidInputError } from './invalid-input-error.js'
import { createMultipartBody } from './multipart.js'

const own = Blob
const toStream = (text: string) => new Blob([text]).stream()
const createStreamedFile = (name: string, text = 'bytes') => ({
  stream: () => toStream(text),
  name,
})

/** One attempt: the body's bytes as text, with the boundary under a fixed name. */
async function readBytes({ body, contentType = '' }: PreparedBody): Promise<string> {
  const text = await new Response(typeof body === 'function' ? body() : body).text()
  return text.replaceAll(/.*boundary=(.*)/.exec(contentType)?.[1] ?? '?', 'BOUNDARY')
}

/** One attempt, read back by the platform's own parser. */
async function readParts({ body, contentType = '' }: PreparedBody): Promise<readonly unknown[]> {
  const response = new Response(typeof body === 'function' ? body() : body, {
    headers: { 'content-type': contentType },
  })
  const entries = [...(await response.formData())]
  return Promise.all(
    entries.map(async ([name, value]) =>
      typeof value === 'string'
        ? [name, value]
        : [name, value.name, value.type, await value.text()],
    ),
  )
}

const isStream = ({ body }: PreparedBody) =>
  typeof body === 'function' && body() instanceof ReadableStream

describe('the bytes', () => {
  it('follow RFC 7578, whether every part is in memory or one is a stream', async () => {
    const held = await createMultipartBody({
      file: new File(['bytes'], 'a.txt', { type: 'text/plain' }),
      size: 1,
    })
    const stream = await createMultipartBody(
      { file: { ...createStreamedFile('a.txt'), type: 'text/plain' }, size: 1 },
      { files: ['file'] },
    )
    const expected =
      '--BOUNDARY\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\nbytes\r\n' +
      '--BOUNDARY\r\nContent-Disposition: form-data; name="size"\r\n\r\n1\r\n--BOUNDARY--\r\n'
    expect([isStream(held), await readBytes(held)]).toEqual([false, expected])
    expect([isStream(stream), await readBytes(stream)]).toEqual([true, expected])
  })

  it('are the same on each attempt, including the boundary', async () => {
    for (const file of [new Blob(['bytes']), createStreamedFile('a')]) {
      const prepared = await createMultipartBody({ file, note: 'x' }, { files: ['file'] })
      const attempts = [await readParts(prepared), await readParts(prepared)]
      expect(attempts).toEqual([
        [
          ['file', file instanceof Blob ? 'file' : 'a', 'application/octet-stream', 'bytes'],
          ['note', 'x'],
        ],
        [
          ['file', file instanceof Blob ? 'file' : 'a', 'application/octet-stream', 'bytes'],
          ['note', 'x'],
        ],
      ])
    }
  })

  it('have a different boundary for each call', async () => {
    const [one, other] = [await createMultipartBody({ a: 1 }), await createMultipartBody({ a: 1 })]
    expect(one.contentType).toMatch(/^multipart\/form-data; boundary=farebox-[\w-]{36}$/)
    expect(one.contentType).not.toBe(other.contentType)
  })

  it('of a body without parts are only its closing boundary', async () => {
    expect(await readBytes(await createMultipartBody({}))).toBe('--BOUNDARY--\r\n')
  })

  it('escape quotes and line breaks in names, as browsers do', async () => {
    const body = await createMultipartBody({ 'na"me\r\nx': new File([''], 'fi"le\r\n.txt') })
    expect(await readBytes(body)).toContain('name="na%22me%0D%0Ax"; filename="fi%22le%0D%0A.txt"')
  })

  it('cannot get a header injected by the type of a file', async () => {
    const body = await createMultipartBody(
      { file: { stream: () => toStream(''), type: 'text/plain\r\nX-Evil: 1' } },
      { files: ['file'] },
    )
    expect(await readBytes(body)).toContain('Content-Type: text/plain  X-Evil: 1\r\n\r\n')
  })
})

it('is bytes where no fetch could send a Blob, as in jsdom', async () => {
  class BlobOfJsdom {
    readonly #own: Blob
    constructor(parts: readonly unknown[], options?: BlobPropertyBag) {
      const inner = parts.map((part) => (part instanceof BlobOfJsdom ? part.#own : part))
      this.#own = new own(inner as BlobPart[], options)
    }
    get size() {
      return this.#own.size
    }
    get type() {
      return this.#own.type
    }
    slice(...range: number[]) {
      return new BlobOfJsdom([this.#own.slice(...range)])
    }
    arrayBuffer() {
      return this.#own.arrayBuffer()
    }
  }
  vi.stubGlobal('Blob', BlobOfJsdom)
  const prepared = await createMultipartBody(
    { file: new Blob(['bytes']), note: 'x' },
    { files: ['file'] },
  ).finally(() => vi.unstubAllGlobals())
  expect(prepared.body).toBeInstanceOf(ArrayBuffer)
  expect(await readParts(prepared)).toEqual([
    ['file', 'file', 'application/octet-stream', 'bytes'],
    ['note', 'x'],
  ])
})

describe('values', () => {
  it('null and undefined are omitted', async () => {
    expect(
      await readParts(
        await createMultipartBody({ a: null, b: undefined, c: [null, 'x', undefined] }),
      ),
    ).toEqual([['c', 'x']])
  })

  it('an array has one part per item', async () => {
    const list = {
      tags: ['a', 'b'],
      files: [new Blob(['1']), new Blob(['2'])],
      rows: [[1, 2], { a: 1 }],
    }
    expect(await readParts(await createMultipartBody(list))).toEqual([
      ['tags', 'a'],
      ['tags', 'b'],
      ['files', 'files', 'application/octet-stream', '1'],
      ['files', 'files', 'application/octet-stream', '2'],
      ['rows', '[1,2]'],
      ['rows', '{"a":1}'],
    ])
  })

  it('an object is JSON, not a file', async () => {
    expect(await readBytes(await createMultipartBody({ meta: { a: 1 } }))).toBe(
      '--BOUNDARY\r\nContent-Disposition: form-data; name="meta"\r\nContent-Type: application/json\r\n\r\n{"a":1}\r\n--BOUNDARY--\r\n',
    )
  })

  it('an object with a path is a file only if the contract accepts one', async () => {
    expect(
      await readParts(
        await createMultipartBody({ meta: { path: '/etc/passwd' } }, { files: ['file'] }),
      ),
    ).toEqual([['meta', '{"path":"/etc/passwd"}']])
  })

  it('a file field accepts only files, one or several', async () => {
    const body = { files: ['file'] }
    expect(
      await readParts(
        await createMultipartBody({ file: [new Blob(['1']), new Uint8Array([50])] }, body),
      ),
    ).toEqual([
      ['file', 'file', 'application/octet-stream', '1'],
      ['file', 'file', 'application/octet-stream', '2'],
    ])
    for (const file of [
      './fares.pdf',
      7,
      true,
      new Date(0),
      new URL('file:///fares.pdf'),
      { path: new URL('file:///a') },
      {},
      [['a']],
      ['a'],
    ]) {
      await expect(createMultipartBody({ file }, body)).rejects.toThrow(InvalidInputError)
      await expect(createMultipartBody({ file }, body)).rejects.toThrow(
        /^file: found .*, expected a file: /,
      )
    }
  })

  it('a field of files or other values accepts both', async () => {
    const body = { files: ['image'], alsoValues: ['image'] }
    expect(
      await readParts(
        await createMultipartBody({ image: ['https://a.test/a.png', new Blob(['1'])] }, body),
      ),
    ).toEqual([
      ['image', 'https://a.test/a.png'],
      ['image', 'image', 'application/octet-stream', '1'],
    ])
  })

  it.each<[string, () => unknown]>([
    ['a stream', () => toStream('x')],
    ['a stream of Node', () => Readable.from(['x'])],
    ['a stream of a file on disk', () => createReadStream(fileURLToPath(import.meta.url))],
    ['a Response', () => new Response('x')],
    ['a Request', () => new Request('http://a.test', { method: 'POST', body: 'x' })],
    ['a record whose stream is no function', () => ({ stream: toStream('x') })],
  ])('%s is rejected as a file because it can be read only once', async (what, make) => {
    await expect(createMultipartBody({ file: make() }, { files: ['file'] })).rejects.toThrow(
      /^file: found an object of \w+, expected a file: /,
    )
    // it would be sent as {}
    if (!what.startsWith('a record'))
      await expect(createMultipartBody({ meta: make() })).rejects.toThrow(InvalidInputError)
  })

  it('a date is a timestamp, other scalars are strings, and line breaks are unchanged', async () => {
    expect(
      await readParts(
        await createMultipartBody({ at: new Date(0), on: true, n: 1.5, text: 'a\nb\r\nc' }),
      ),
    ).toEqual([
      ['at', '1970-01-01T00:00:00.000Z'],
      ['on', 'true'],
      ['n', '1.5'],
      ['text', 'a\nb\r\nc'],
    ])
  })
})

describe('the media type that the contract declares for a part', () => {
  const file = new Blob(['x'], { type: 'image/gif' })

  it('overrides that of the file', async () => {
    const body = await createMultipartBody(
      { file },
      { encoding: { file: { contentType: 'image/png' } } },
    )
    expect(await readParts(body)).toEqual([['file', 'file', 'image/png', 'x']])
  })

  it('is that of the file if the contract allows several', async () => {
    for (const contentType of ['image/png, image/gif', 'image/*']) {
      expect(
        await readParts(
          await createMultipartBody({ file }, { encoding: { file: { contentType } } }),
        ),
      ).toEqual([['file', 'file', 'image/gif', 'x']])
    }
  })

  it('applies to each file of an array, and makes an array one part when it is JSON', async () => {
    const files = await createMultipartBody(
      { files: [file, file] },
      { encoding: { files: { contentType: 'image/png' } } },
    )
    expect(await readParts(files)).toEqual([
      ['files', 'files', 'image/png', 'x'],
      ['files', 'files', 'image/png', 'x'],
    ])
    const json = await createMultipartBody(
      { tags: ['a', 'b'] },
      { encoding: { tags: { contentType: 'application/json' } } },
    )
    expect(await readBytes(json)).toContain(
      'name="tags"\r\nContent-Type: application/json\r\n\r\n["a","b"]\r\n',
    )
  })

  it('makes an array one part when its style joins the items', async () => {
    const fields = { list: ['a', 'b'], pipes: ['a', 'b'], each: ['a', 'b'], none: [], one: 'a' }
    const body = await createMultipartBody(fields, {
      encoding: {
        list: { explode: false },
        pipes: { style: 'pipeDelimited' },
        each: { style: 'form' },
        none: { explode: false },
        one: { explode: false },
      },
    })
    const { body: bytes, contentType } = body
    const form = await new Response(bytes as Blob, {
      headers: { 'content-type': contentType ?? '' },
    }).formData()
    expect([...form]).toEqual([
      ['list', 'a,b'],
      ['pipes', 'a|b'],
      ['each', 'a'],
      ['each', 'b'],
      ['one', 'a'],
    ])
  })
})

describe('a stream', () => {
  const usedStream = toStream('used')
  const partlyReadStream = toStream('read in part')
  const lockedStream = toStream('locked')
  beforeAll(async () => {
    await new Response(usedStream).text()
    const reader = partlyReadStream.getReader()
    await reader.read()
    reader.releaseLock()
    lockedStream.getReader()
  })

  it('is opened once for each attempt, before the first byte is sent', async () => {
    let opened = 0
    const open = () => {
      opened++
      return toStream('x')
    }
    const prepared = await createMultipartBody({ note: 'first', file: open })
    expect(opened).toBe(0)
    for (const attempt of [1, 2]) {
      const body = typeof prepared.body === 'function' ? prepared.body() : ''
      expect(opened).toBe(attempt)
      expect(await new Response(body).text()).toContain('\r\n\r\nx\r\n')
    }
    expect(opened).toBe(2)
  })

  it.each<[string, () => unknown]>([
    ['one that was read', () => usedStream],
    ['one that was read in part', () => partlyReadStream],
    ['one that is in use', () => lockedStream],
    ['a promise', async () => toStream('x')],
    ['a string', () => 'text'],
    ['nothing', () => undefined],
  ])('is rejected before anything is sent when the function returns %s', async (_what, give) => {
    for (const file of [give, { stream: give }]) {
      const { body } = await createMultipartBody({ file }, { files: ['file'] })
      expect(body).toThrow(InvalidInputError)
      expect(body).toThrow(/^file: the function gave /)
    }
  })

  it('is rejected on the second attempt when the function returns the same one, which would send an empty file', async () => {
    const one = toStream('x')
    const { body } = await createMultipartBody({ file: () => one })
    if (typeof body !== 'function') throw new Error('expected a body that is made anew')
    expect(await new Response(body()).text()).toContain('\r\n\r\nx\r\n')
    expect(body).toThrow(
      'file: the function gave a stream that was read before. Make a new one at each call.',
    )
  })

  it('is closed when another one is rejected', async () => {
    let reason: unknown
    const first = () => new ReadableStream<Uint8Array>({ cancel: (given) => void (reason = given) })
    const { body } = await createMultipartBody({ first, second: () => usedStream })
    expect(body).toThrow('second: the function gave')
    expect(reason).toBeInstanceOf(InvalidInputError)
  })

  it('that is cancelled cancels its source immediately, even if the source never emits', async () => {
    let reason: unknown
    let whenOpened = () => {}
    const opened = new Promise<void>((resolve) => {
      whenOpened = resolve
    })
    const silent = () => {
      whenOpened()
      return new ReadableStream<Uint8Array>({
        cancel(given) {
          reason = given
        },
      })
    }
    const { body } = await createMultipartBody({ file: silent })
    const reader = (
      typeof body === 'function' ? (body() as ReadableStream<Uint8Array>) : undefined
    )?.getReader()
    await reader?.read()
    const pending = reader?.read()
    await opened
    await reader?.cancel('enough')
    expect(await pending).toEqual({ done: true, value: undefined })
    expect(reason).toBe('enough')
  })

  it('that waits for its turn is closed when the body is cancelled or another source fails', async () => {
    const reasons: unknown[] = []
    const waiting = () =>
      new ReadableStream<Uint8Array>({ cancel: (reason) => void reasons.push(reason) })
    const opened = await createMultipartBody({
      first: () => new ReadableStream<Uint8Array>(),
      waiting,
    })
    const stream =
      typeof opened.body === 'function' ? (opened.body() as ReadableStream<Uint8Array>) : undefined
    await stream?.cancel('enough')
    const breaking = () =>
      new ReadableStream<Uint8Array>({ pull: (controller) => controller.error('broken') })
    await expect(readBytes(await createMultipartBody({ breaking, waiting }))).rejects.toBe('broken')
    expect(reasons).toEqual(['enough', 'broken'])
  })

  it('passes on what its source throws', async () => {
    const broken = () => {
      throw new Error('no longer there')
    }
    await expect(readBytes(await createMultipartBody({ file: broken }))).rejects.toThrow(
      'no longer there',
    )
  })
})

describe('a file on disk', () => {
  let path = ''
  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'multipart-'))
    path = join(folder, 'a.txt')
    await writeFile(path, 'on disk')
  })
  afterAll(async () => {
    await rm(join(path, '..'), { recursive: true })
  })

  it('is sent on each attempt, with its length known', async () => {
    const prepared = await createMultipartBody(
      { file: { path, type: 'text/plain' } },
      { files: ['file'] },
    )
    expect(prepared.body instanceof Blob && prepared.body.size).toBe(198)
    expect(await readParts(prepared)).toEqual([['file', 'a.txt', 'text/plain', 'on disk']])
    expect(await readParts(prepared)).toEqual([['file', 'a.txt', 'text/plain', 'on disk']])
  })

  it('is sent as a stream on Bun, whose Blob of several parts omits it', async () => {
    class BlobOfBun extends Blob {
      constructor(parts: readonly BlobPart[], options?: BlobPropertyBag) {
        super(
          parts.filter((part) => !(part instanceof Blob)),
          options,
        )
      }
    }
    vi.stubGlobal(
      'Blob',
      Object.defineProperty(BlobOfBun, Symbol.hasInstance, {
        value: (value: unknown) => value instanceof own,
      }),
    )
    const prepared = await createMultipartBody(
      { file: { path, type: 'text/plain' } },
      { files: ['file'] },
    )
    vi.unstubAllGlobals()
    expect(isStream(prepared)).toBe(true)
    expect(await readParts(prepared)).toEqual([['file', 'a.txt', 'text/plain', 'on disk']])
    expect(await readParts(prepared)).toEqual([['file', 'a.txt', 'text/plain', 'on disk']])
  })

  it('that changed during the call aborts the stream, even if the platform could read it', async () => {
    class Changing extends Blob {
      override stream() {
        return new Blob(['on dis']).stream()
      }
    }
    const fields = { file: new Changing(['on disk']), other: createStreamedFile('b') }
    const { body } = await createMultipartBody(fields, { files: ['file', 'other'] })
    await expect(new Response((body as () => ReadableStream)()).text()).rejects.toThrow(
      'the file has 6 bytes instead of 7',
    )
  })

  it('can be part of a stream', async () => {
    const prepared = await createMultipartBody(
      { file: { path }, other: createStreamedFile('b') },
      { files: ['file', 'other'] },
    )
    expect(await readParts(prepared)).toEqual([
      ['file', 'a.txt', 'application/octet-stream', 'on disk'],
      ['other', 'b', 'application/octet-stream', 'bytes'],
    ])
  })
})

it('any strings and bytes round-trip', async () => {
  const fieldName = fc.string({ minLength: 1 }).filter((name) => !/["\r\n%]/.test(name))
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fieldName, fc.string({ unit: character }), fc.boolean())),
      async (fields) => {
        const input = Object.fromEntries(
          fields.map(([name, text, asStream]) => [name, asStream ? () => toStream(text) : text]),
        )
        const expected = await Promise.all(
          Object.entries(input).map(async ([name, value]) =>
            typeof value === 'string'
              ? [name, value]
              : [name, name, 'application/octet-stream', await new Response(value()).text()],
          ),
        )
        if (expected.length > 0)
          expect(await readParts(await createMultipartBody(input))).toEqual(expected)
      },
    ),
    { numRuns: 50 },
  )
})

describe('a file with a limit', () => {
  const body = { files: ['file'], maxFileBytes: { file: 10 } }
  const eleven = new Uint8Array(11)

  it('is rejected before anything is sent, whatever its type', async () => {
    for (const file of [new Blob([eleven]), eleven, eleven.buffer]) {
      await expect(createMultipartBody({ file }, body)).rejects.toThrow(
        'file: the file has more than 10 bytes.',
      )
    }
    await createMultipartBody({ file: new Uint8Array(10) }, body)
  })

  it('fails at the first excess byte when it is a stream', async () => {
    const streamed = async (count: number) => {
      const stream = () => new Blob([new Uint8Array(count)]).stream()
      const { body: made } = await createMultipartBody({ file: { stream } }, body)
      return new Response(typeof made === 'function' ? made() : made).text()
    }
    expect(await streamed(10)).toContain('filename="file"')
    await expect(streamed(11)).rejects.toThrow('more than 10 bytes')
  })
})

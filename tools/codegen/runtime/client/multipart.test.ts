import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PreparedBody } from './call.js'
import { multipartBody } from './multipart.js'

const streamOf = (text: string) => new Blob([text]).stream()
const streamed = (name: string, text = 'bytes') => ({ stream: () => streamOf(text), name })

/** One attempt: the body's bytes as text, with the boundary under a fixed name. */
async function bytesOf({ body, contentType = '' }: PreparedBody): Promise<string> {
  const text = await new Response(typeof body === 'function' ? body() : body).text()
  return text.replaceAll(/.*boundary=(.*)/.exec(contentType)?.[1] ?? '?', 'BOUNDARY')
}

/** One attempt, read back by the platform's own parser. */
async function partsOf({ body, contentType = '' }: PreparedBody): Promise<readonly unknown[]> {
  const response = new Response(typeof body === 'function' ? body() : body, { headers: { 'content-type': contentType } })
  const entries = [...(await response.formData())]
  return Promise.all(
    entries.map(async ([name, value]) => (typeof value === 'string' ? [name, value] : [name, value.name, value.type, await value.text()])),
  )
}

const isStream = ({ body }: PreparedBody) => typeof body === 'function' && body() instanceof ReadableStream

describe('the bytes', () => {
  it('are those of RFC 7578, whether every part is held or one is a stream', async () => {
    const held = await multipartBody({ file: new File(['bytes'], 'a.txt', { type: 'text/plain' }), size: 1 })
    const stream = await multipartBody({ file: { ...streamed('a.txt'), type: 'text/plain' }, size: 1 }, { files: ['file'] })
    const expected =
      '--BOUNDARY\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\nbytes\r\n' +
      '--BOUNDARY\r\nContent-Disposition: form-data; name="size"\r\n\r\n1\r\n--BOUNDARY--\r\n'
    expect([isStream(held), await bytesOf(held)]).toEqual([false, expected])
    expect([isStream(stream), await bytesOf(stream)]).toEqual([true, expected])
  })

  it('are the same on each attempt, the boundary too', async () => {
    for (const file of [new Blob(['bytes']), streamed('a')]) {
      const prepared = await multipartBody({ file, note: 'x' }, { files: ['file'] })
      const attempts = [await partsOf(prepared), await partsOf(prepared)]
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

  it('have another boundary for another call', async () => {
    const [one, other] = [await multipartBody({ a: 1 }), await multipartBody({ a: 1 })]
    expect(one.contentType).toMatch(/^multipart\/form-data; boundary=farebox-[\w-]{36}$/)
    expect(one.contentType).not.toBe(other.contentType)
  })

  it('of a body without parts are its end alone', async () => {
    expect(await bytesOf(await multipartBody({}))).toBe('--BOUNDARY--\r\n')
  })

  it('escape quotes and line breaks in names, as browsers do', async () => {
    const body = await multipartBody({ 'na"me\r\nx': new File([''], 'fi"le\r\n.txt') })
    expect(await bytesOf(body)).toContain('name="na%22me%0D%0Ax"; filename="fi%22le%0D%0A.txt"')
  })

  it('cannot gain a header from the type of a file', async () => {
    const body = await multipartBody({ file: { stream: () => streamOf(''), type: 'text/plain\r\nX-Evil: 1' } }, { files: ['file'] })
    expect(await bytesOf(body)).toContain('Content-Type: text/plain  X-Evil: 1\r\n\r\n')
  })
})

describe('values', () => {
  it('null and undefined are no parts', async () => {
    expect(await partsOf(await multipartBody({ a: null, b: undefined, c: [null, 'x', undefined] }))).toEqual([['c', 'x']])
  })

  it('a list is a part for each item', async () => {
    const list = { tags: ['a', 'b'], files: [new Blob(['1']), new Blob(['2'])], rows: [[1, 2], { a: 1 }] }
    expect(await partsOf(await multipartBody(list))).toEqual([
      ['tags', 'a'],
      ['tags', 'b'],
      ['files', 'files', 'application/octet-stream', '1'],
      ['files', 'files', 'application/octet-stream', '2'],
      ['rows', '[1,2]'],
      ['rows', '{"a":1}'],
    ])
  })

  it('a record is JSON, and no file', async () => {
    expect(await bytesOf(await multipartBody({ meta: { a: 1 } }))).toBe(
      '--BOUNDARY\r\nContent-Disposition: form-data; name="meta"\r\nContent-Type: application/json\r\n\r\n{"a":1}\r\n--BOUNDARY--\r\n',
    )
  })

  it('a record with a path names a file only where the contract takes one', async () => {
    expect(await partsOf(await multipartBody({ meta: { path: '/etc/passwd' } }, { files: ['file'] }))).toEqual([
      ['meta', '{"path":"/etc/passwd"}'],
    ])
  })

  it('a date is a timestamp, other scalars are their text, and line breaks stay as they are', async () => {
    expect(await partsOf(await multipartBody({ at: new Date(0), on: true, n: 1.5, text: 'a\nb\r\nc' }))).toEqual([
      ['at', '1970-01-01T00:00:00.000Z'],
      ['on', 'true'],
      ['n', '1.5'],
      ['text', 'a\nb\r\nc'],
    ])
  })
})

describe('the media type that the contract gives a part', () => {
  const file = new Blob(['x'], { type: 'image/gif' })

  it('wins over that of the file', async () => {
    const body = await multipartBody({ file }, { encoding: { file: { contentType: 'image/png' } } })
    expect(await partsOf(body)).toEqual([['file', 'file', 'image/png', 'x']])
  })

  it('leaves the choice to the file when it is a choice', async () => {
    for (const contentType of ['image/png, image/gif', 'image/*']) {
      expect(await partsOf(await multipartBody({ file }, { encoding: { file: { contentType } } }))).toEqual([
        ['file', 'file', 'image/gif', 'x'],
      ])
    }
  })

  it('holds for each file of a list, and makes a list whole when it is JSON', async () => {
    const files = await multipartBody({ files: [file, file] }, { encoding: { files: { contentType: 'image/png' } } })
    expect(await partsOf(files)).toEqual([
      ['files', 'files', 'image/png', 'x'],
      ['files', 'files', 'image/png', 'x'],
    ])
    const json = await multipartBody({ tags: ['a', 'b'] }, { encoding: { tags: { contentType: 'application/json' } } })
    expect(await bytesOf(json)).toContain('name="tags"\r\nContent-Type: application/json\r\n\r\n["a","b"]\r\n')
  })
})

describe('a stream', () => {
  it('is opened when its turn comes, once for each attempt', async () => {
    let opened = 0
    const open = () => {
      opened++
      return streamOf('x')
    }
    const prepared = await multipartBody({ file: open })
    expect(opened).toBe(0)
    await partsOf(prepared)
    await partsOf(prepared)
    expect(opened).toBe(2)
  })

  it('that is cancelled cancels its source at once, though the source never speaks', async () => {
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
    const { body } = await multipartBody({ file: silent })
    const reader = (typeof body === 'function' ? (body() as ReadableStream<Uint8Array>) : undefined)?.getReader()
    await reader?.read()
    const pending = reader?.read()
    await opened
    await reader?.cancel('enough')
    expect(await pending).toEqual({ done: true, value: undefined })
    expect(reason).toBe('enough')
  })

  it('that is cancelled before its turn is never opened', async () => {
    let opened = 0
    const { body } = await multipartBody({ file: () => streamOf(String(opened++)) })
    const stream = typeof body === 'function' ? (body() as ReadableStream<Uint8Array>) : undefined
    await stream?.cancel()
    expect(opened).toBe(0)
  })

  it('passes on what its source throws', async () => {
    const broken = () => {
      throw new Error('no longer there')
    }
    await expect(bytesOf(await multipartBody({ file: broken }))).rejects.toThrow('no longer there')
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
    const prepared = await multipartBody({ file: { path, type: 'text/plain' } }, { files: ['file'] })
    expect(prepared.body instanceof Blob && prepared.body.size).toBe(198)
    expect(await partsOf(prepared)).toEqual([['file', 'a.txt', 'text/plain', 'on disk']])
    expect(await partsOf(prepared)).toEqual([['file', 'a.txt', 'text/plain', 'on disk']])
  })

  it('goes into a stream too', async () => {
    const prepared = await multipartBody({ file: { path }, other: streamed('b') }, { files: ['file', 'other'] })
    expect(await partsOf(prepared)).toEqual([
      ['file', 'a.txt', 'application/octet-stream', 'on disk'],
      ['other', 'b', 'application/octet-stream', 'bytes'],
    ])
  })
})

it('any texts and bytes come back as they went', async () => {
  const fieldName = fc.string({ minLength: 1 }).filter((name) => !/["\r\n%]/.test(name))
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fieldName, fc.string({ unit: 'binary' }), fc.boolean())), async (fields) => {
      const input = Object.fromEntries(fields.map(([name, text, asStream]) => [name, asStream ? () => streamOf(text) : text]))
      const expected = await Promise.all(
        Object.entries(input).map(async ([name, value]) =>
          typeof value === 'string' ? [name, value] : [name, name, 'application/octet-stream', await new Response(value()).text()],
        ),
      )
      if (expected.length > 0) expect(await partsOf(await multipartBody(input))).toEqual(expected)
    }),
    { numRuns: 50 },
  )
})

describe('a file with a limit', () => {
  const body = { files: ['file'], maxFileBytes: { file: 10 } }
  const eleven = new Uint8Array(11)

  it('is refused before anything is sent, whatever it is given as', async () => {
    for (const file of [new Blob([eleven]), eleven, eleven.buffer]) {
      await expect(multipartBody({ file }, body)).rejects.toThrow(
        'file: the file has 11 bytes, and 10 are taken at most. Give a smaller one.',
      )
    }
    await multipartBody({ file: new Uint8Array(10) }, body)
  })

  it('breaks off at the byte that is too many, when it is a stream', async () => {
    const streamed = async (count: number) => {
      const stream = () => new Blob([new Uint8Array(count)]).stream()
      const { body: made } = await multipartBody({ file: { stream } }, body)
      return new Response(typeof made === 'function' ? made() : made).text()
    }
    expect(await streamed(10)).toContain('filename="file"')
    await expect(streamed(11)).rejects.toThrow('more than 10 bytes')
  })
})

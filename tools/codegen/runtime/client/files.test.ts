import { openAsBlob } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isFileInput, openFile } from './files.js'
import { InvalidInputError } from './invalid-input-error.js'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'files-'))
})
afterAll(async () => {
  await rm(folder, { recursive: true })
})

const toStream = (text: string) => new Blob([text]).stream()

async function read(
  input: Parameters<typeof openFile>[0],
): Promise<readonly [text: string, name: string, type: string | undefined]> {
  const file = await openFile(input, 'field')
  if ('blob' in file) return [await file.blob.text(), file.name, file.blob.type]
  return [await new Response(file.stream()).text(), file.name, file.type]
}

describe('openFile', () => {
  it('accepts bytes, named after the field', async () => {
    expect(await read(new TextEncoder().encode('a'))).toEqual(['a', 'field', ''])
    expect(await read(new TextEncoder().encode('a').buffer)).toEqual(['a', 'field', ''])
    expect(await read(new Blob(['a'], { type: 'text/plain' }))).toEqual([
      'a',
      'field',
      'text/plain',
    ])
  })

  it('reports a Blob whose file no longer exists', async () => {
    const path = join(folder, 'gone.pdf')
    await writeFile(path, 'gone')
    const blob = await openAsBlob(path)
    await rm(path)
    await expect(openFile(blob, 'file')).rejects.toThrow(
      new InvalidInputError('file: the Blob cannot be read. Its file may be gone.'),
    )
  })

  it('rejects a value by its class name without quoting it', async () => {
    await expect(openFile('sk-secret', 'file')).rejects.toThrow(
      /^file: found a string, expected a file: a Blob, a File, bytes, \{ path \}, /,
    )
    await expect(openFile(new URL('file:///secret'), 'file')).rejects.toThrow(
      /^file: found an object of URL, expected /,
    )
    await expect(openFile(Object.create(null), 'file')).rejects.toThrow(
      /^file: found an object of no class, expected /,
    )
  })

  it('reads only the part of a buffer that a view covers', async () => {
    expect(await read(new TextEncoder().encode('abcd').subarray(1, 3))).toEqual(['bc', 'field', ''])
  })

  it('accepts a File with its own name', async () => {
    expect(await read(new File(['a'], 'é.txt', { type: 'text/plain' }))).toEqual([
      'a',
      'é.txt',
      'text/plain',
    ])
  })

  it('accepts a function that returns a stream, and an object of one with name and type', async () => {
    expect(await read(() => toStream('a'))).toEqual(['a', 'field', undefined])
    expect(await read({ stream: () => toStream('a') })).toEqual(['a', 'field', undefined])
    expect(await read({ stream: () => toStream('a'), name: 'b.txt', type: 'text/plain' })).toEqual([
      'a',
      'b.txt',
      'text/plain',
    ])
  })

  it('accepts a Blob of another implementation, with stream on its prototype', async () => {
    class Other {
      readonly type = 'text/plain'
      stream() {
        return toStream('a')
      }
    }
    expect(await read(new Other())).toEqual(['a', 'field', 'text/plain'])
  })

  it('accepts a file on disk with its base name, and with a type if given', async () => {
    const path = join(folder, 'report.pdf')
    await writeFile(path, 'on disk')
    expect(await read({ path })).toEqual(['on disk', 'report.pdf', ''])
    expect(await read({ path, type: 'application/pdf' })).toEqual([
      'on disk',
      'report.pdf',
      'application/pdf',
    ])
  })

  it('says which file cannot be read, for which field, and what to do', async () => {
    const path = join(folder, 'missing.pdf')
    await expect(openFile({ path }, 'file')).rejects.toThrow(
      new InvalidInputError(
        `file: the file ${JSON.stringify(path)} cannot be read. Check the path and its permissions.`,
      ),
    )
    await expect(openFile({ path: folder }, 'file')).rejects.toThrow(
      new InvalidInputError(
        `file: the file ${JSON.stringify(folder)} cannot be read. Check the path and its permissions.`,
      ),
    )
  })
})

describe('isFileInput', () => {
  const wherever = (value: unknown) =>
    (['files', 'either', 'values'] as const).map((takes) => isFileInput(value, takes))

  it.each([
    ['a Blob', new Blob()],
    ['bytes', new Uint8Array()],
    ['a view of bytes', new DataView(new ArrayBuffer(0))],
    ['a buffer', new ArrayBuffer(0)],
    ['a function', () => toStream('')],
    ['a stream, which is rejected then', toStream('')],
    ['a Response, which is rejected then', new Response('')],
  ])('%s is always a file', (_, value) => {
    expect(wherever(value)).toEqual([true, true, true])
  })

  it.each([
    ['a path', { path: '/etc/passwd' }],
    ['a record of a stream', { stream: () => toStream('') }],
  ])('%s is a file only if the contract accepts one', (_, value) => {
    expect(wherever(value)).toEqual([true, true, false])
  })

  it.each([
    ['text'],
    [1],
    [{ path: 1 }],
    [{ stream: 'x' }],
    [[]],
    [new Date(0)],
    [new URL('file:///a')],
  ])('%j is a file only if the contract accepts nothing else, and is rejected then', (value) => {
    expect(wherever(value)).toEqual([true, false, false])
  })
})

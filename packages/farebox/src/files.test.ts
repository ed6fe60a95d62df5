import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { createFarebox, isFareboxError, toFile } from './index.js'

/**
 * Uploads a file to a service that is busy once. Returns the result and the files that arrived.
 */
async function upload(file: unknown) {
  const files: (string | undefined)[] = []
  const fetch: typeof globalThis.fetch = async (_url, init) => {
    const text = await new Response(init?.body ?? null).text()
    files.push(/filename="[^]*?\r\n\r\n([^]*?)\r\n--/.exec(text)?.[1])
    if (files.length === 1) return Response.json({ error: 'busy' }, { status: 503 })
    return new Response('Tram fares', { headers: { 'content-type': 'text/plain' } })
  }
  const farebox = createFarebox({
    baseUrl: 'http://127.0.0.1:4020/api/v1',
    apiKey: 'KEY',
    fetch,
    retry: { backoff: () => 0 },
  })
  const input = { file, response_format: 'text' } as Parameters<typeof farebox.parseText>[0]
  return { result: await farebox.parseText(input).catch((error: unknown) => error), files }
}

it('a retry sends the file again', async () => {
  for (const file of [
    new Blob(['Fares']),
    new TextEncoder().encode('Fares'),
    () => new Blob(['Fares']).stream(),
  ]) {
    expect(await upload(file)).toEqual({ result: 'Tram fares', files: ['Fares', 'Fares'] })
  }
})

it('a retry does not send an empty file if a function returns the same stream again', async () => {
  const stream = new Blob(['Fares']).stream()
  const { result, files } = await upload(() => stream)
  expect(files).toEqual(['Fares'])
  expect(isFareboxError(result) && [result.code, result.mayHaveArrived]).toEqual([
    'invalid_input',
    false,
  ])
  expect(String(result)).toContain(
    'parseText: file: the function gave a stream that was read before. Make a new one at each call.',
  )
})

it('a value that is not a file is rejected, and nothing is sent', async () => {
  for (const file of [
    './fares.pdf',
    new Response('Fares'),
    new Blob(['Fares']).stream(),
    new URL('file:///fares.pdf'),
    7,
    {},
  ]) {
    const { result, files } = await upload(file)
    expect(files).toEqual([])
    expect(isFareboxError(result) && [result.code, result.attempts, result.mayHaveArrived]).toEqual(
      ['invalid_input', 0, false],
    )
    expect(String(result)).toMatch(
      /parseText: file: found .*, expected a file: a Blob, a File, bytes, \{ path \}, or a function/,
    )
  }
})

it('a file function that throws is reported, and nothing has arrived', async () => {
  const { result, files } = await upload(() => {
    throw new Error('the disk is gone')
  })
  expect(files).toEqual([])
  expect(isFareboxError(result) && [result.code, result.mayHaveArrived]).toEqual([
    'invalid_input',
    false,
  ])
  expect(String(result)).toContain(
    'parseText: file: the function that makes the stream failed: Error: the disk is gone',
  )
})

it('toFile reads sources of files, and rejects objects that would become a string', async () => {
  const whole = async (source: unknown) => (await toFile(source as Blob, 'fares.txt')).text()
  const good = [
    new Response('Fares'),
    new Blob(['Fares']).stream(),
    new Blob(['Fares']),
    new TextEncoder().encode('Fares'),
    'Fares',
  ]
  for (const source of good) expect(await whole(source)).toBe('Fares')
  expect(await whole(Readable.from([Buffer.from('Fares')]))).toBe('Fares')
  for (const source of [
    undefined,
    null,
    {},
    { path: 'fares.txt' },
    new URL('https://a.test/fares.txt'),
    7,
    new FormData(),
  ]) {
    await expect(whole(source)).rejects.toMatchObject({
      name: 'FareboxError',
      code: 'invalid_input',
      mayHaveArrived: false,
    })
  }
  for (const options of [{ maxBytes: NaN }, { maxBytes: -1 }, { maxbytes: 5 }] as object[]) {
    await expect(toFile('Fares', 'fares.txt', options)).rejects.toMatchObject({
      code: 'invalid_input',
    })
  }
})

import { inflateSync } from 'node:zlib'
import { afterAll, expect, it } from 'vitest'
import { createTaskThread } from '../tasks/task-thread.js'
import { createLocalImage } from './local-image.js'

const thread = createTaskThread()
const { generate } = createLocalImage(thread)
afterAll(() => thread.close())

const task = {
  model: 'local-test-image',
  caller: 'a',
  prompt: 'A red tram',
  n: 1,
  width: 256,
  height: 128,
}
const signal = new AbortController().signal

async function draw(changes: Partial<typeof task>): Promise<readonly Uint8Array[]> {
  return generate({ ...task, ...changes }, signal)
}

/** The size of a PNG file, and the bytes of its rows. */
function readPng(file: Uint8Array | undefined) {
  const bytes = Buffer.from(file ?? [])
  expect(bytes.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n')
  const data: Buffer[] = []
  for (let at = 8; at < bytes.length; at += 12 + bytes.readUInt32BE(at))
    if (bytes.toString('latin1', at + 4, at + 8) === 'IDAT')
      data.push(bytes.subarray(at + 8, at + 8 + bytes.readUInt32BE(at)))
  return {
    size: [bytes.readUInt32BE(16), bytes.readUInt32BE(20)],
    rows: inflateSync(Buffer.concat(data)),
  }
}

it('is a PNG file of the ordered size, the same for the same prompt', async () => {
  const [image] = await draw({})
  const { size, rows } = readPng(image)
  expect(size).toEqual([256, 128])
  // each row has the number of its filter, and four bytes for each pixel
  expect(rows).toHaveLength(128 * (1 + 4 * 256))
  expect(await draw({})).toEqual([image])
})

it('shows the prompt', async () => {
  const [image] = await draw({})
  const [without] = await draw({ prompt: '' })
  const colors = (file: Uint8Array | undefined) => new Set(readPng(file).rows).size
  expect(colors(image)).toBeGreaterThan(50)
  expect(readPng(image).rows.equals(readPng(without).rows)).toBe(false)
  expect(await draw({ prompt: 'A red train' })).not.toEqual([image])
})

it('is another for each of several', async () => {
  const images = await draw({ n: 3 })
  expect(new Set(images.map((image) => Buffer.from(image).toString('base64'))).size).toBe(3)
})

it.each([
  ['markup', '</text><script>alert(1)</script> & "quotes"'],
  ['no words', ''],
  ['half a character', 'a \ud83d b \udc68'],
  ['control characters', 'a\u0000b\u0007c\ufffe\uffff'],
  ['a word wider than the card', 'x'.repeat(5_000)],
  ['many lines', 'word '.repeat(2_000)],
  ['right to left, and emoji', 'שלום 🚋'],
])('draws a prompt with %s', async (_name, prompt) => {
  const [image] = await draw({ prompt })
  expect(readPng(image).size).toEqual([256, 128])
})

it.each([
  [16, 16],
  [64, 512],
  [2_048, 1_024],
])('draws %d × %d', async (width, height) => {
  const [image] = await draw({ width, height })
  expect(readPng(image).size).toEqual([width, height])
})

it('stops when its caller leaves, and draws for others', async () => {
  const caller = new AbortController()
  const left = generate({ ...task, n: 10 }, caller.signal)
  const other = draw({ prompt: 'Another' })
  caller.abort()
  await expect(left).rejects.toMatchObject({ code: 'unread' })
  expect(await other).toHaveLength(1)
})

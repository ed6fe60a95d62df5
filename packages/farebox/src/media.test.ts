import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createFarebox } from './farebox.js'
import { toFile } from './to-file.js'

let folder = ''
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'media-'))))
afterAll(async () => rm(folder, { recursive: true }))

const createSpeaker = (body: () => BodyInit) =>
  createFarebox({
    baseUrl: 'https://api.example.test/api/v1',
    apiKey: 'key-1',
    fetch: async () => new Response(body(), { headers: { 'content-type': 'audio/mpeg' } }),
  })

it('saveTo writes speech to a file, and replaces an existing one', async () => {
  const path = join(folder, 'a.mp3')
  await (await createSpeaker(() => 'old').createSpeech({ input: 'Hello' })).saveTo(path)
  await (await createSpeaker(() => 'new sound').createSpeech({ input: 'Hello' })).saveTo(path)
  expect(await readFile(path, 'utf8')).toBe('new sound')
  expect(await readdir(folder)).toEqual(['a.mp3'])
})

it.skipIf(process.platform === 'win32')(
  'saveTo keeps permissions and links, and writes to a device instead of replacing it',
  async () => {
    const inside = await mkdtemp(join(folder, 'kept-'))
    const [path, link] = [join(inside, 'secret.mp3'), join(inside, 'link.mp3')]
    const save = async (to: string) =>
      (await createSpeaker(() => 'new').createSpeech({ input: 'Hello' })).saveTo(to)
    await writeFile(path, 'old')
    await symlink(path, link)
    for (const mode of [0o600, 0o666]) {
      await chmod(path, mode)
      await save(link)
      expect((await stat(path)).mode & 0o777).toBe(mode)
    }
    expect([await readFile(path, 'utf8'), (await lstat(link)).isSymbolicLink()]).toEqual([
      'new',
      true,
    ])
    await symlink('/dev/null', join(inside, 'null'))
    await save(join(inside, 'null'))
    expect((await stat('/dev/null')).isCharacterDevice()).toBe(true)
    expect((await readdir(inside)).sort()).toEqual(['link.mp3', 'null', 'secret.mp3'])
  },
)

it('saveTo takes the longest name that a file can have', async () => {
  const inside = join(folder, 'long')
  await mkdir(inside)
  const name = `${'é'.repeat(125)}a.mp3`
  await (
    await createSpeaker(() => 'sound').createSpeech({ input: 'Hello' })
  ).saveTo(join(inside, name))
  expect(await readdir(inside)).toEqual([name])
})

it('a body that breaks off leaves no file, and saveTo rejects with a FareboxError', async () => {
  const broken = () => {
    const parts = [new Uint8Array(3)]
    return new ReadableStream({
      pull: (controller) => {
        const part = parts.shift()
        if (part) controller.enqueue(part)
        else controller.error(new TypeError('terminated'))
      },
    })
  }
  const before = await readdir(folder)
  const speech = await createSpeaker(broken).createSpeech({ input: 'Hello' })
  await expect(speech.saveTo(join(folder, 'b.mp3'))).rejects.toMatchObject({
    code: 'unexpected_response',
    operation: 'createSpeech',
  })
  expect(await readdir(folder)).toEqual(before)
})

it('saveTo reports a path that cannot be written, and a platform without files', async () => {
  const speech = await createSpeaker(() => 'x').createSpeech({ input: 'Hello' })
  await expect(speech.saveTo(join(folder, 'none', 'c.mp3'))).rejects.toMatchObject({
    name: 'FareboxError',
    code: 'not_saved',
  })
  const other = await createSpeaker(() => 'x').createSpeech({ input: 'Hello' })
  const builtin = vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined)
  await expect(other.saveTo('d.mp3')).rejects.toThrow('there is no file system here')
  builtin.mockRestore()
  expect(await other.text()).toBe('x')
})

it('toFile reads a response, a stream, a string, bytes or a Blob', async () => {
  const response = new Response('fares', { headers: { 'content-type': 'text/csv' } })
  const bytes = new TextEncoder().encode('fares')
  for (const source of [
    response,
    new Blob(['fares']).stream(),
    'fares',
    bytes,
    bytes.buffer,
    new Blob(['fares']),
  ]) {
    const file = await toFile(source, 'fares.csv', source === response ? {} : { type: 'text/csv' })
    expect([file.name, file.type, await file.text()]).toEqual(['fares.csv', 'text/csv', 'fares'])
  }
})

it('toFile rejects a failed response, one that was read, one that breaks off, and too many bytes', async () => {
  const read = new Response('x')
  await read.text()
  const broken = new ReadableStream({ pull: (controller) => controller.error(new Error('lost')) })
  for (const [source, why] of [
    [new Response('no such page', { status: 404 }), 'has the status 404'],
    [read, 'cannot be read'],
    [broken, 'cannot be read'],
    ['12345678901', 'more than 10 bytes'],
  ] as const) {
    const error = await toFile(source, 'x', { maxBytes: 10 }).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      name: 'FareboxError',
      code: 'invalid_input',
      mayHaveArrived: false,
      attempts: 0,
    })
    expect((error as Error).message).toContain(why)
  }
  expect((await toFile('1234567890', 'x', { maxBytes: 10 })).size).toBe(10)
})

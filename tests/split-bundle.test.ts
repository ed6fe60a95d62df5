import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type * as farebox from 'farebox'
import { beforeAll, afterAll, expect, it } from 'vitest'
import { splitBundle } from '@farebox/release/budgets'
import { installPacked } from '@farebox/release/install-packed'
import { createTemporaryFolder } from './temporary-folder.js'

/** The SDK as a page has it whose bundler splits at `import()`. */
const { folder, remove } = createTemporaryFolder('split-bundle')
beforeAll(async () => installPacked(folder))
afterAll(() => {
  Reflect.deleteProperty(globalThis, 'loadedFiles')
  remove()
})

const baseUrl = 'https://api.example/api/v1'

/** A page: the bundle in a folder of its own, where files can be out of reach. */
async function loadPage(name: string) {
  const { files, first } = await splitBundle(folder, "export { createFarebox } from 'farebox'")
  const place = join(folder, name)
  mkdirSync(place)
  writeFileSync(join(place, 'package.json'), '{ "type": "module" }')
  // each file says when it has been loaded
  const told = '\n;(globalThis.loadedFiles ??= []).push(import.meta.url)'
  for (const { path, text } of files) writeFileSync(join(place, basename(path)), text + told)
  const later = files
    .filter((file) => !first.includes(file))
    .map(({ path }) => join(place, basename(path)))
  const { createFarebox } = (await import(
    pathToFileURL(join(place, 'stdin.js')).href
  )) as typeof farebox
  return {
    createFarebox,
    later,
    lose: (pattern: RegExp) => {
      const lost = later.filter((file) => pattern.test(file))
      for (const file of lost) renameSync(file, `${file}.lost`)
      return () => {
        for (const file of lost) renameSync(`${file}.lost`, file)
      }
    },
  }
}

/** A service that lists no models, and what it was sent. */
function createService() {
  const sent: Headers[] = []
  const fetch: typeof globalThis.fetch = async (_url, init) => {
    sent.push(new Headers(init?.headers))
    return Response.json({ object: 'list', data: [], type: 'all' })
  }
  return { sent, fetch }
}

const wallet = {
  kind: 'evm',
  address: '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A',
  sign: async () => '0x00',
} as const

it('with an API key, a call loads no further file', async () => {
  const { createFarebox, later, lose } = await loadPage('key')
  expect(later.length).toBeGreaterThanOrEqual(2)
  lose(/./)
  const { sent, fetch } = createService()
  expect(await createFarebox({ baseUrl, apiKey: 'KEY', fetch }).listModels()).toEqual([])
  expect(sent[0]?.get('authorization')).toBe('Bearer KEY')
})

it('a wallet whose code cannot be loaded sends nothing and says so, and signs in once it can', async () => {
  const { createFarebox, lose } = await loadPage('lost')
  const restore = lose(/wallet-/)
  const { sent, fetch } = createService()
  const own = createFarebox({ baseUrl, wallet, fetch })
  await expect(own.listModels()).rejects.toMatchObject({
    code: 'not_loaded',
    operation: 'listModels',
    attempts: 0,
    mayHaveArrived: false,
  })
  await expect(own.topUp(5)).rejects.toMatchObject({ code: 'not_loaded', operation: 'topUp' })
  expect(sent).toEqual([])
  restore()
  expect(await own.listModels()).toEqual([])
})

it('a wallet that was given at the start works on a page that went offline later', async () => {
  const { createFarebox, later, lose } = await loadPage('offline')
  const { sent, fetch } = createService()
  const own = createFarebox({ baseUrl, wallet, fetch })
  const code = pathToFileURL(later.find((file) => file.includes('wallet-')) ?? '').href
  await expect
    .poll(() => (globalThis as { readonly loadedFiles?: readonly string[] }).loadedFiles)
    .toContain(code)
  lose(/./)
  await own.getBalance({ walletAddress: wallet.address })
  expect(sent[0]?.has('sign-in-with-x')).toBe(true)
})

it('loads the form code with the first form, and reports when it cannot be loaded', async () => {
  const { createFarebox, lose } = await loadPage('forms')
  const restore = lose(/forms-/)
  const sent: unknown[] = []
  const fetch: typeof globalThis.fetch = async (_url, init) => {
    sent.push(init?.body)
    return Response.json({ text: 'Fares', tokens: 1 })
  }
  const own = createFarebox({ baseUrl, apiKey: 'KEY', fetch })
  const file = new File(['Fares'], 'fares.txt', { type: 'text/plain' })
  const lost = { code: 'not_loaded', operation: 'parseText', attempts: 0, mayHaveArrived: false }
  await expect(own.parseText({ file })).rejects.toMatchObject(lost)
  await expect(own.parseAll([file])).rejects.toMatchObject(lost)
  expect(sent).toEqual([])
  restore()
  expect(await own.parseText({ file })).toEqual({ text: 'Fares', tokens: 1 })
  expect(await own.parseAll([file])).toEqual([
    { status: 'fulfilled', value: { text: 'Fares', tokens: 1 } },
  ])
  expect(sent).toHaveLength(2)
  expect(await (sent[0] as Blob).text()).toContain('filename="fares.txt"')
})

it('initially loads one file besides the entry', async () => {
  const { first } = await splitBundle(folder, "export { createFarebox } from 'farebox'")
  const [largest = 0, ...others] = first
    .map(({ contents }) => contents.length)
    .toSorted((one, other) => other - one)
  expect(others.reduce((sum, size) => sum + size, 0)).toBeLessThan(largest / 100)
})

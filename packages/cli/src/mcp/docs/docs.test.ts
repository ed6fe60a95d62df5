import type { Client } from '@modelcontextprotocol/client'
import { afterEach, expect, it } from 'vitest'
import { connectClient } from '../../../test/mcp-client.js'
import { startCommand } from '../../../test/start-command.js'

const ends: (() => Promise<unknown>)[] = []
afterEach(async () => void (await Promise.all(ends.splice(0).map((end) => end()))))

/** The official client of the command without an address, a credential and a home. */
async function connect(): Promise<Client> {
  const { client, end } = await connectClient(startCommand(['mcp', '--docs'], {}))
  ends.push(end)
  return client
}

async function call(name: string, input: Readonly<Record<string, string>>) {
  const { content, isError } = await (await connect()).callTool({ name, arguments: input })
  return { text: content.map((part) => ('text' in part ? part.text : '')).join(''), isError }
}

it('offers to search and to read, and nothing that calls a service', async () => {
  const { tools } = await (await connect()).listTools()
  expect(tools.map(({ name }) => name)).toEqual(['searchDocs', 'readDoc'])
  expect(tools.every(({ annotations }) => annotations?.readOnlyHint)).toBe(true)
})

it('finds the page that answers a question, with a part of its text', async () => {
  const { text } = await call('searchDocs', { query: 'How do I cap what a wallet spends?' })
  expect(text.split('\n').slice(0, 6).join('\n')).toContain('- guides/top-up: ')
  expect((await call('searchDocs', { query: 'zzyzx' })).text).toContain('No page has these words')
})

it('reads a page by its path, and by a link of another page', async () => {
  const page = await call('readDoc', { page: 'guides/video' })
  expect(page.text).toMatch(/^# Video.*\n\n> /)
  expect(page.text).toContain('```ts')
  expect(await call('readDoc', { page: '/guides/video.md#price' })).toEqual(page)
  expect(await call('readDoc', { page: 'guides/vidoe' })).toEqual({
    isError: true,
    text: expect.stringContaining('There is no page "guides/vidoe".') as string,
  })
})

it('rejects options of tools that call a service', async () => {
  const { stderr, code } = startCommand(['mcp', '--docs', '--max-usd', '2'], {})
  expect(await code).toBe(2)
  expect(String(stderr.read())).toContain('--max-usd is for tools')
})

import { tmpdir } from 'node:os'
import type { Client } from '@modelcontextprotocol/client'
import { afterEach, describe, expect, it } from 'vitest'
import { connectClient } from '../../test/mcp-client.js'
import { startCommand } from '../../test/start-command.js'

const asKey = { FAREBOX_API_KEY: 'a-key' }
const asWallet = { FAREBOX_PRIVATE_KEY: `0x${'11'.repeat(32)}` }
const ends: (() => Promise<unknown>)[] = []
afterEach(async () => void (await Promise.all(ends.splice(0).map((end) => end()))))

/** A list of tools needs no service. */
async function connect(
  args: readonly string[],
  credentials: Readonly<Record<string, string>>,
): Promise<Client> {
  const environment = {
    HOME: '/nowhere',
    FAREBOX_BASE_URL: 'http://127.0.0.1:9/api/v1',
    ...credentials,
  }
  const { client, end } = await connectClient(startCommand(['mcp', ...args], environment))
  ends.push(end)
  return client
}

const listNames = async (client: Client) =>
  (await client.listTools()).tools.map(({ name }) => name).sort()

describe('the tools of farebox mcp', () => {
  it('are what the credentials admit, and no tool that hands out or changes a key', async () => {
    const byKey = [
      'createEmbedding',
      'createImage',
      'createSpeech',
      'createTranscription',
      'createVoice',
      'getModel',
      'getRateLimits',
      'listModels',
      'parseText',
      'queueVideo',
      'quoteVideo',
      'retrieveVideo',
    ]
    expect(await listNames(await connect([], asKey))).toEqual(byKey)
    const byWallet = await listNames(await connect([], asWallet))
    expect(byWallet).toEqual([
      'createEmbedding',
      'createImage',
      'createSpeech',
      'createTranscription',
      'createVoice',
      'getBalance',
      'getModel',
      'listModels',
      'listTransactions',
      'parseText',
      'queueVideo',
      'quoteVideo',
      'retrieveVideo',
      'topUp',
    ])
    expect(await listNames(await connect([], {}))).toEqual(['getModel', 'listModels', 'quoteVideo'])
    expect(await listNames(await connect(['--tools', 'createApiKey,revokeApiKey'], asKey))).toEqual(
      ['createApiKey', 'revokeApiKey'],
    )
  })

  it('have no input with a composition or a reference at its root, since hosts reject all tools for one of those', async () => {
    const folder = ['--folder', tmpdir()]
    for (const credentials of [asKey, asWallet]) {
      const { tools } = await (await connect(folder, credentials)).listTools()
      const roots = tools.flatMap(({ name, inputSchema }) =>
        Object.keys(inputSchema).map((keyword) => `${name}: ${keyword}`),
      )
      expect(
        roots.filter((root) => /(?:allOf|anyOf|oneOf|not|if|enum|const|\$ref)$/.test(root)),
      ).toEqual([])
      expect(tools.map(({ inputSchema }) => inputSchema.type)).toEqual(tools.map(() => 'object'))
    }
  })
})

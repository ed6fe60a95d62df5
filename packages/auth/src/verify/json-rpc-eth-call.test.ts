import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { jsonRpcEthCall } from './contract-verifier.js'

const url = 'https://node.example/key-0123456789'

const createEthCall = (body: unknown) =>
  jsonRpcEthCall({ urls: { 8453: url }, fetch: async () => Response.json(body) })

test('a call is one POST of eth_call without "to", at the latest block', async () => {
  const sent: unknown[] = []
  const call = jsonRpcEthCall({
    urls: { 8453: url },
    fetch: async (input, init) => {
      sent.push([
        input,
        init?.method,
        init?.redirect,
        typeof init?.body === 'string' && JSON.parse(init.body),
      ])
      return Response.json({ jsonrpc: '2.0', id: 1, result: '0x01' })
    },
  })
  expect(await call(8453, '0x6000')).toBe('0x01')
  expect(sent).toEqual([
    [
      url,
      'POST',
      'error',
      { jsonrpc: '2.0', id: 1, method: 'eth_call', params: [{ data: '0x6000' }, 'latest'] },
    ],
  ])
})

test('the error of a chain without a node says what to add', async () => {
  await expect(createEthCall({})(1, '0x')).rejects.toThrow(
    'Contract check: no node for chain 1; add its URL to "urls"',
  )
})

test('an error of the node, and a result that is not hex, is an error', async () => {
  await expect(
    createEthCall({ error: { code: -32000, message: url } })(8453, '0x'),
  ).rejects.toThrow(
    'Contract check: the node of chain 8453 responded without a result, error -32000',
  )
  for (const body of [null, [], { result: 1 }, { result: 'true' }])
    await expect(createEthCall(body)(8453, '0x')).rejects.toThrow('without a result')
})

test('no error reveals the URL of the node, which may contain a key', async () => {
  const failing = (error: Error) =>
    jsonRpcEthCall({ urls: { 8453: url }, fetch: () => Promise.reject(error) })
  const calls = [
    failing(new TypeError(`Failed to parse URL from ${url}`, { cause: new Error(url) })),
    createEthCall({ error: { code: 1, message: url, data: url } }),
    jsonRpcEthCall({ urls: { 8453: url }, fetch: async () => new Response(url) }),
  ]
  for (const call of calls) {
    const error: unknown = await call(8453, '0x').catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(Error)
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('key-0123456789')
  }
})

test('a node that does not respond in time is an error', async () => {
  const call = jsonRpcEthCall({
    urls: { 8453: url },
    timeoutMs: 1,
    fetch: (_, init) =>
      new Promise((_resolve, reject) =>
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason as Error)),
      ),
  })
  await expect(call(8453, '0x')).rejects.toThrow(
    'Contract check: the node of chain 8453 did not respond (TimeoutError)',
  )
})

import { expect, it } from 'vitest'
import type { Step } from './exchange.js'
import { recordExchanges } from './record.js'

const secret = 'inference-key-which-nobody-may-see'
const signature = `0x${'ab'.repeat(65)}`
const encode = (value: unknown) => btoa(JSON.stringify(value))

async function trace(
  response: Response,
  init: RequestInit,
): Promise<{ readonly step: Step | undefined; readonly read: string }> {
  const steps: Step[] = []
  const send = recordExchanges(
    (step) => steps.push(step),
    async () => response,
  )
  const sent = await send('https://service.example/api/v1/x402/top-up?limit=1', init)
  return { step: steps[0], read: await sent.text() }
}

it('records the request and the response without consuming the response', async () => {
  const { step, read } = await trace(Response.json({ queue_id: 'q1' }), {
    method: 'POST',
    body: '{"prompt":"A tram"}',
  })
  expect(step).toMatchObject({
    kind: 'exchange',
    method: 'POST',
    status: 200,
    request: { body: '{\n  "prompt": "A tram"\n}' },
    response: { headers: { 'content-type': 'application/json' }, body: '{\n  "queue_id": "q1"\n}' },
  })
  expect(read).toBe('{"queue_id":"q1"}')
})

it('shows what is signed, and no credential, signature or key', async () => {
  const headers = {
    authorization: `Bearer ${secret}`,
    'sign-in-with-x': encode({ message: 'service.example wants you to sign in', signature }),
    'payment-signature': encode({ payload: { authorization: { value: '5000000' }, signature } }),
  }
  const body = JSON.stringify({
    data: { id: 'k1', apiKey: secret },
    download_url: `https://service.example/${secret}`,
  })
  const { step } = await trace(
    new Response(body, { headers: { 'content-type': 'application/json' } }),
    { headers },
  )
  const told = JSON.stringify(step)
  for (const shown of ['service.example wants you to sign in', '5000000', 'Bearer …', 'k1'])
    expect(told).toContain(shown)
  for (const hidden of [secret, signature]) expect(told).not.toContain(hidden)
})

it('hides a header that it cannot read', async () => {
  const { step } = await trace(new Response(), { headers: { 'payment-signature': secret } })
  expect(JSON.stringify(step)).not.toContain(secret)
})

it('does not copy bytes', async () => {
  const { step, read } = await trace(
    new Response('RIFF', { headers: { 'content-type': 'audio/wav' } }),
    {},
  )
  expect(step).toMatchObject({ response: { body: '(audio/wav)' } })
  expect(read).toBe('RIFF')
})

it('records a request without a response', async () => {
  const steps: Step[] = []
  const send = recordExchanges(
    (step) => steps.push(step),
    () => Promise.reject(new TypeError('fetch failed')),
  )
  await expect(send('https://service.example/', { method: 'POST' })).rejects.toThrow('fetch failed')
  expect(steps).toMatchObject([{ method: 'POST', status: undefined }])
})

it('passes a stream on at its first chunk, and records all of it at its end', async () => {
  const steps: Step[] = []
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const writer = writable.getWriter()
  const send = recordExchanges(
    (step) => steps.push(step),
    async () => new Response(readable, { headers: { 'content-type': 'text/event-stream' } }),
  )
  const sent = await send('https://service.example/api/v1/chat/completions')
  const reader = sent.body?.getReader()
  void writer.write(new TextEncoder().encode('data: 1\n\n'))
  expect((await reader?.read())?.value).toEqual(new TextEncoder().encode('data: 1\n\n'))
  expect(steps).toEqual([])
  void writer.write(new TextEncoder().encode('data: 2\n\n'))
  void writer.close()
  while ((await reader?.read())?.done === false);
  await expect.poll(() => steps).toMatchObject([{ response: { body: 'data: 1\n\ndata: 2\n\n' } }])
})

it('shows no credential of another document, wherever the request carries it', async () => {
  const steps: Step[] = []
  const send = recordExchanges(
    (step) => steps.push(step),
    async () => new Response('', { headers: { 'x-echo': 'a b' } }),
    ['a b', 'a%20b'],
  )
  await send('https://service.example/pets?key=a%20b', { headers: { 'x-key': 'a b' } })
  expect(JSON.stringify(steps)).not.toMatch(/a b|a%20b/)
  expect(steps[0]).toMatchObject({ url: 'https://service.example/pets?key=…' })
})

it('shows what a challenge requests', async () => {
  const request = encode({ amount: '5000000', recipient: '0x1?' })
    .replaceAll('/', '_')
    .replace(/=+$/, '')
  const { step } = await trace(
    new Response('', {
      status: 402,
      headers: { 'www-authenticate': `Payment id="a", request="${request}"` },
    }),
    { headers: { 'payment-authorization': `Payment ${request}` } },
  )
  expect(step).toMatchObject({
    request: { headers: { 'payment-authorization': 'Payment …' } },
    response: {
      headers: {
        'www-authenticate':
          'Payment id="a", request="(base64 of) {"amount":"5000000","recipient":"0x1?"}"',
      },
    },
  })
})

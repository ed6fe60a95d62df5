import { operations } from '@farebox/types/operations'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { decodeHeader, origin, startService, type Harness } from '../../test/harness.js'
import { document } from '../generated/document.js'
import { createBazaar, type Bazaar } from './x402-extensions.js'

const api = `${origin}/api/v1`
const paid = Object.values(operations).flatMap(({ path, parameters }) =>
  parameters.some(({ name }) => name === 'PAYMENT-SIGNATURE') ? [api + path] : [],
)

let farebox: Harness
beforeAll(async () => void (farebox = await startService()))
afterAll(() => farebox.service.close())

type Item = { readonly resource: { readonly url: string }; readonly accepts: readonly object[] }
type Manifest = {
  readonly version: number
  readonly resources: readonly string[]
  readonly items: readonly Item[]
}

/** The 402 without credentials, in version 2. */
async function fetchChallenge(url: string) {
  const response = await farebox.service.fetch(new Request(url, { method: 'POST' }), {
    remoteAddress: '10.5.0.1',
  })
  return decodeHeader(response.headers, 'payment-required') as Item & {
    readonly extensions: { readonly bazaar: Bazaar }
  }
}

/** `x-payment-info` of each path, as the payment discovery draft reads it. */
const priced = new Map(
  Object.entries(document.paths as Readonly<Record<string, object>>).flatMap(([path, item]) =>
    Object.values(item).flatMap((operation: unknown) => {
      const { responses, 'x-payment-info': info } = Object(operation) as {
        readonly responses?: object
        readonly 'x-payment-info'?: object
      }
      return info ? [[path, { info, declares402: '402' in (responses ?? {}) }] as const] : []
    }),
  ),
)

describe('x-payment-info', () => {
  it('is present on every operation that accepts payments and declares 402', () => {
    expect([...priced.keys()].map((path) => api + path).toSorted()).toEqual(paid.toSorted())
    for (const info of priced.values())
      expect(info).toMatchObject({
        info: { amount: null, currency: 'USDC', intent: 'charge', method: 'evm' },
        declares402: true,
      })
  })
})

describe('/.well-known/x402', () => {
  it('lists every URL that takes a payment, with the offers and the call of its 402', async () => {
    const response = await farebox.service.fetch(new Request(`${origin}/.well-known/x402`))
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([
      200,
      '*',
    ])
    const { version, resources, items } = (await response.json()) as Manifest
    expect([version, resources.toSorted()]).toEqual([1, paid.toSorted()])
    for (const { resource, accepts, ...how } of items) {
      const { extensions, ...live } = await fetchChallenge(resource.url)
      expect({ resource, accepts }).toEqual({ resource: live.resource, accepts: live.accepts })
      expect(how).toMatchObject(extensions.bazaar.info)
      const { pathname } = new URL(resource.url)
      expect(how).toMatchObject({
        'x-payment-info': priced.get(pathname.slice('/api/v1'.length))?.info,
      })
    }
  })
})

describe('the x402 extension "bazaar"', () => {
  it.each(paid)('of %s matches its schema', async (url) => {
    const { info, schema } = (await fetchChallenge(url)).extensions.bazaar
    expect(new Ajv2020().compile(schema)(info)).toBe(true)
    expect(JSON.stringify({ info, schema })).not.toContain('$ref')
  })

  it('shows a call of the contract', () => {
    const bazaar = createBazaar(document)
    expect(bazaar('createSpeech').info).toEqual({
      input: {
        type: 'http',
        method: 'POST',
        bodyType: 'json',
        body: { input: expect.any(String) as string },
      },
      output: { type: 'audio/mpeg' },
    })
    expect(bazaar('parseText').info.input).toMatchObject({ bodyType: 'form-data' })
  })

  it('keeps the headers of a 402 within the 4 KiB that proxies read by default', async () => {
    const sizes = await Promise.all(
      paid.map(async (url) => {
        const { headers } = await farebox.service.fetch(new Request(url, { method: 'POST' }), {
          remoteAddress: '10.5.0.2',
        })
        return [...headers].reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0)
      }),
    )
    expect(Math.max(...sizes)).toBeLessThan(3_900)
  })
})

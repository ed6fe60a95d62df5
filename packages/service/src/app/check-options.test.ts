import { expect, it } from 'vitest'
import { createService } from './create-service.js'
import type { ServiceOptions } from './service-options.js'

const origin = 'http://127.0.0.1:4020'

it.each([
  [undefined, "found undefined, expected an object such as { origin: 'http://127.0.0.1:4020' }"],
  [origin, 'found another string, expected an object'],
  [{}, 'origin is "undefined", expected only scheme, host and port'],
  [{ origin, adminkey: 's3cret' }, 'there is no option "adminkey". Did you mean "adminKey"?'],
  [{ origin, colour: 's3cret' }, 'there is no option "colour". Remove it'],
  [{ origin, toString: 's3cret' }, 'there is no option "toString". Remove it'],
  [{ origin, adminKey: 5 }, 'adminKey is a number, expected a string of printable ASCII'],
  [
    { origin, adminKey: 's3cret key' },
    'adminKey is another string, expected a string of printable',
  ],
  [{ origin, metricsKey: null }, 'metricsKey is null, expected a string'],
  [{ origin, keyPepper: ['s3cret'] }, 'keyPepper is an array, expected a string'],
  [{ origin, adminCreditUsd: '5' }, 'adminCreditUsd is 5, expected USD from 0'],
  [{ origin, adminCreditUsd: -5 }, 'adminCreditUsd is -5, expected USD from 0'],
  [{ origin, adminCreditUsd: NaN }, 'adminCreditUsd is NaN, expected USD from 0'],
  [{ origin, trustedProxies: '10.0.0.0/8' }, 'trustedProxies is 10.0.0.0/8, expected an array'],
  [{ origin, videosAtOnce: 0 }, 'videosAtOnce is 0, expected an integer from 1'],
  [{ origin, wallets: 'false' }, 'wallets is another string, expected true or false'],
  [
    { origin, catalogue: {} },
    'catalogue is another object, expected the result of createCatalogue',
  ],
  [{ origin, upstreams: [] }, 'upstreams is an array, expected the result of createUpstreams'],
  [{ origin, onError: {} }, 'onError is another object, expected a function'],
])('createService rejects %j', async (options, message) => {
  const error: unknown = await createService(options as ServiceOptions).catch(
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(RangeError)
  expect((error as RangeError).message).toContain(`createService: ${message}`)
  expect((error as RangeError).message).not.toContain('s3cret')
})

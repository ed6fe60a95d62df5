import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { expect, it } from 'vitest'
import { createClientAddress } from './client-address.js'
import { createConnectionCounter } from './create-server.js'

const createSocket = (remoteAddress: string) =>
  Object.assign(new EventEmitter(), { remoteAddress }) as unknown as Socket

it('counts the open connections of each address, a /64 as one', () => {
  const admits = createConnectionCounter(2, createClientAddress())
  const first = createSocket('2001:db8::1')
  expect([first, createSocket('2001:db8::2'), createSocket('2001:db8::3')].map(admits)).toEqual([
    true,
    true,
    false,
  ])
  expect(
    ['2001:db8:0:1::1', '198.51.100.1', '::ffff:198.51.100.1', '198.51.100.1']
      .map(createSocket)
      .map(admits),
  ).toEqual([true, true, true, false])
  first.emit('close')
  expect([createSocket('2001:db8::4'), createSocket('2001:db8::5')].map(admits)).toEqual([
    true,
    false,
  ])
})

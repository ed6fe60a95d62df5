import { describe, expect, it } from 'vitest'
import { checkNode, checkProxy } from './machine.js'

describe('checkNode', () => {
  it.each([
    ['20.18.9', 'failed'],
    ['20.19.0', 'ok'],
    ['18.20.0', 'failed'],
    ['24.1.0', 'ok'],
  ])('%s is %s', (version, status) => expect(checkNode(version).status).toBe(status))
})

describe('checkProxy', () => {
  const away = 'https://api.example/api/v1'
  const set = { HTTPS_PROXY: 'http://user:secret@proxy:3128' }

  it.each<[Readonly<Record<string, string>>, string, string, string]>([
    [{}, away, '24.0.0', 'none is set'],
    [{ http_proxy: 'http://proxy' }, away, '24.0.0', 'none is set'],
    [
      set,
      'https://127.0.0.1:4020/api/v1',
      '20.19.0',
      'HTTPS_PROXY is set, but not used for this machine',
    ],
    [
      { ...set, NO_PROXY: 'other, .example' },
      away,
      '20.19.0',
      'NO_PROXY excludes api.example from HTTPS_PROXY',
    ],
    [{ ...set, NODE_USE_ENV_PROXY: '1' }, away, '22.21.0', 'HTTPS_PROXY is used'],
  ])('%j is well for %s with Node %s', (environment, url, version, found) => {
    expect(checkProxy(environment, url, version)).toEqual({ name: 'proxy', status: 'ok', found })
  })

  it('warns of a proxy that Node does not use, and does not repeat its password', () => {
    expect(checkProxy(set, away, '24.3.0')).toEqual({
      name: 'proxy',
      status: 'warning',
      found: 'HTTPS_PROXY is set, but Node does not use it',
      advice: 'Set NODE_USE_ENV_PROXY=1.',
    })
    expect(checkProxy({ ...set, NODE_USE_ENV_PROXY: '1' }, away, '23.9.0').advice).toContain(
      'Node 22.21, 24 or later',
    )
  })
})

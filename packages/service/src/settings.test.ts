import { describe, expect, it } from 'vitest'
import { readSettings } from './settings.js'

describe('readSettings', () => {
  it('has defaults for everything', () => {
    expect(readSettings([], {})).toEqual({
      host: '127.0.0.1',
      port: 4020,
      data: './farebox-data',
      origin: undefined,
      serviceName: 'Farebox',
      adminKey: undefined,
      payTo: undefined,
    })
  })

  it('prefers flags to the environment', () => {
    const environment = { FAREBOX_PORT: '1', FAREBOX_ADMIN_KEY: 'from-env', FAREBOX_SERVICE_NAME: 'Env' }
    expect(readSettings(['--port', '0', '--service-name=Tram'], environment)).toMatchObject({
      port: 0,
      adminKey: 'from-env',
      serviceName: 'Tram',
    })
  })

  it.each([
    [['--nope'], "Unknown option '--nope'"],
    [['extra'], 'Unexpected argument'],
    [['--port', 'x'], 'The port is "x"'],
    [['--port', '65536'], 'The port is "65536"'],
    [['--origin', 'ftp://x'], 'The origin is "ftp://x"'],
    [['--origin', 'http://x/path'], 'without a path'],
    [['--pay-to', '0x1'], 'expected 0x and 40 hex digits'],
    [['--database-url', 'postgres://x'], '--database-url is not available yet'],
    [['--facilitator', 'http://x'], '--facilitator is not available yet'],
    [['--speech-upstream', 'http://x'], '--speech-upstream is not available yet'],
    [['--video-upstream', 'http://x'], '--video-upstream is not available yet'],
  ])('refuses %j and says why', (args, message) => {
    expect(() => readSettings(args, {})).toThrow(message)
  })

  it('does not repeat a key that it refuses', () => {
    expect(() => readSettings(['--admin-key', 'se cret'], {})).toThrow(/^The admin key holds a space/)
  })

  it('refuses what is to come in the environment too', () => {
    expect(() => readSettings([], { FAREBOX_DATABASE_URL: 'postgres://x' })).toThrow('not available yet')
  })
})

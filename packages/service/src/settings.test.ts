import { describe, expect, it } from 'vitest'
import { readSettings } from './settings.js'

const payee = '0x1111111111111111111111111111111111111111'

describe('readSettings', () => {
  it('has defaults for everything', () => {
    expect(readSettings([], {})).toEqual({
      command: 'serve',
      host: '127.0.0.1',
      port: 4020,
      data: './farebox-data',
      databaseUrl: undefined,
      origin: undefined,
      serviceName: 'Farebox',
      adminKey: undefined,
      adminCreditUsd: undefined,
      keyPepper: undefined,
      payTo: undefined,
      payToSolana: undefined,
      facilitator: undefined,
      allowNonceReuse: false,
      logLevel: 'info',
      logFormat: 'json',
      metricsKey: undefined,
      speechUpstream: undefined,
      videoUpstream: undefined,
      account: 'admin',
      usd: undefined,
      stakedTokens: undefined,
      partner: undefined,
      keyType: 'INFERENCE',
      description: '',
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
    [['extra'], 'The command is "extra"; expected one of serve, audit, credit, key'],
    [['audit', 'more'], 'The command is "audit more"'],
    [['credit', '--usd', '-1'], 'argument is ambiguous'],
    [['credit', '--usd', '1e9'], '--usd is "1e9"; expected an amount'],
    [['key', '--type', 'ROOT'], '--type is "ROOT"; expected one of INFERENCE, ADMIN'],
    [['--log-level', 'loud'], '--log-level is "loud"; expected one of debug, info, warn, error, silent'],
    [['--log-format', 'xml'], 'expected one of json, text'],
    [['--database-url', 'mysql://user:s3cret@x'], 'The database URL is not one; expected postgres://'],
    [['--port', 'x'], 'The port is "x"'],
    [['--port', '65536'], 'The port is "65536"'],
    [['--origin', 'ftp://x'], 'The origin is "ftp://x"'],
    [['--origin', 'http://x/path'], 'without a path'],
    [['--pay-to', '0x1'], 'expected 0x and 40 hex digits'],
    [['--pay-to-solana', '0x1'], 'expected base58 of 32 bytes'],
    [['--facilitator', 'ftp://x'], 'The facilitator is not a URL that can be called'],
    [['--facilitator', 'https://user:s3cret@x', '--pay-to', payee], 'without a user or a query'],
    [['--facilitator', 'https://x'], 'nobody is named who gets it; give --pay-to, --pay-to-solana or both'],
    [['--facilitator', 'http://x', '--facilitator-key-file', 'f', '--pay-to', payee], 'expected https'],
    [['--facilitator', 'https://x', '--facilitator-networks', 'base,bitcoin', '--pay-to', payee], 'The network "bitcoin" is not known'],
    [['--facilitator-key-file', 'f'], 'and no --facilitator'],
    [['--solana-rpc', 'https://node.example'], 'and no --facilitator'],
    [
      ['--facilitator', 'https://x', '--pay-to', payee, '--solana-rpc', 'node?key=s3cret'],
      'The Solana node is not a URL that can be called',
    ],
    [
      ['--facilitator', 'https://x', '--pay-to', payee, '--solana-rpc', 'https://n', '--facilitator-networks', 'solana,solana-devnet'],
      'cannot speak for two Solana networks',
    ],
    [['--speech-upstream', 'ftp://x'], 'The speech upstream is not a URL that can be called'],
    [['--speech-upstream', 'http://user:s3cret@x'], 'without a user'],
    [['--video-upstream-key', 'k'], 'The video upstream is missing, and has a key'],
  ])('refuses %j and says why', (args, message) => {
    expect(() => readSettings(args, {})).toThrow(message)
  })

  it('takes upstreams with their keys', () => {
    const environment = { FAREBOX_SPEECH_UPSTREAM_KEY: 'k' }
    expect(readSettings(['--speech-upstream', 'http://x/v1', '--video-upstream', 'http://y'], environment)).toMatchObject({
      speechUpstream: { url: 'http://x/v1', apiKey: 'k' },
      videoUpstream: { url: 'http://y/' },
    })
    expect(() => readSettings(['--speech-upstream', 'http://user:s3cret@x'], {})).not.toThrow(/s3cret/)
  })

  it('does not repeat a secret that it refuses', () => {
    expect(() => readSettings(['--admin-key', 'se cret'], {})).toThrow(/^The admin key holds a space/)
    expect(() => readSettings(['--metrics-key', 'se cret'], {})).toThrow(/^The metrics key holds a space/)
    expect(() => readSettings(['--database-url', 's3cret'], {})).not.toThrow(/s3cret/)
  })

  it('reads what to book', () => {
    const args = ['credit', '--account', 'tram', '--usd', '2.5', '--staked', '10', '--partner']
    expect(readSettings(args, {})).toMatchObject({ command: 'credit', account: 'tram', usd: 2.5, stakedTokens: 10, partner: true })
  })

  it('reads a facilitator, whose key is never an argument', () => {
    const args = ['--facilitator', 'https://x.example/x402', '--facilitator-networks', 'base,solana-devnet', '--pay-to', payee]
    expect(readSettings(args, { FAREBOX_FACILITATOR_KEY: 'from-env' }).facilitator).toEqual({
      url: 'https://x.example/x402',
      key: 'from-env',
      networks: ['eip155:8453', 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1'],
    })
    expect(readSettings(args, { FAREBOX_SOLANA_RPC: 'https://node.example/?api-key=k' }).facilitator?.solanaRpc).toEqual({
      url: 'https://node.example/?api-key=k',
    })
    expect(() => readSettings(['--facilitator-key', 'x'], {})).toThrow('Unknown option')
    expect(() => readSettings([...args], { FAREBOX_FACILITATOR_KEY: 's3 cret' })).toThrow(/^The facilitator key holds a space/)
  })
})

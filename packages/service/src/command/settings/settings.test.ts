import { describe, expect, it } from 'vitest'
import { readArguments } from '@farebox/command-line'
import { program } from './program.js'
import { readSettings as validated } from './settings.js'

type Environment = Readonly<Record<string, string>>

function readSettings(args: readonly string[], environment: Environment) {
  const invocation = readArguments(program, args, { environment })
  if ('show' in invocation) throw new Error('It shows a text.')
  return validated(invocation.arguments, environment, (file) => `content-of-file-${file}`)
}

const payee = '0x1111111111111111111111111111111111111111'

describe('readSettings', () => {
  it('has defaults for everything', () => {
    expect(readSettings([], {})).toEqual({
      command: 'serve',
      file: '',
      host: '127.0.0.1',
      port: 4020,
      data: './farebox-data',
      databaseUrl: undefined,
      origin: undefined,
      trustedProxies: [],
      connectionsPerAddress: 256,
      serviceName: 'Farebox',
      adminKey: undefined,
      auditAnchor: undefined,
      chainNodes: undefined,
      reconcile: { file: undefined, since: undefined, until: undefined },
      adminCreditUsd: undefined,
      keyPepper: undefined,
      keyPepperOld: undefined,
      adminKeyOld: undefined,
      payees: {},
      facilitator: undefined,
      nameBackends: false,
      storesResponses: true,
      wallets: true,
      unsettledPayments: false,
      allowNonceReuse: false,
      logLevel: 'info',
      logFormat: 'json',
      metricsKey: undefined,
      operator: undefined,
      operatorKey: undefined,
      money: undefined,
      drainSeconds: 0,
      keep: { responses: 86_400_000, videos: 86_400_000, keys: 604_800_000 },
      upstreams: { upstreams: [] },
      filesAtOnce: 2,
      videosAtOnce: 4,
      stakedTokens: undefined,
      partner: undefined,
      keys: undefined,
      onlyNew: false,
    })
  })

  it('ignores empty variables', () => {
    expect(readSettings([], { FAREBOX_PORT: '', FAREBOX_ADMIN_KEY: '' })).toMatchObject({
      port: 4020,
      adminKey: undefined,
    })
  })

  it.each([
    ['credit', '--usd', '5', '--account', ''],
    ['refund', 'led_1', '--reason', 'bad audio', '--usd='],
    ['keys', 'create', '--limit-usd', '5', '--account='],
    ['serve', '--facilitator', ''],
    ['serve', '--admin-key-file='],
    ['serve', '--data', 'folder', '--data', ''],
  ])('does not treat an empty value as absent: %s %s %s %s %s', (...args) => {
    const [name] = args.filter((arg) => arg.startsWith('--')).slice(-1)
    expect(() => readSettings(args, {})).toThrow(`${name?.replace('=', '')}: found "", expected `)
  })

  it.each([
    ['FAREBOX_FACILITATER', 'FAREBOX_FACILITATOR'],
    ['FAREBOX_ADMIN_KEY_FLIE', 'FAREBOX_ADMIN_KEY_FILE'],
    ['FAREBOX_METRIC_KEY', 'FAREBOX_METRICS_KEY'],
    ['FAREBOX_NO_WALLET', 'FAREBOX_NO_WALLETS'],
    ['FAREBOX_TIMEOUTSCALE', 'FAREBOX_TIMEOUT_SCALE'],
  ])('rejects the variable %s and names the setting', (name, meant) => {
    expect(() => readSettings([], { [name]: '1' })).toThrow(
      `${name}: found no setting of this name, expected ${meant}.`,
    )
    expect(readSettings([], { [name]: '' })).toEqual(readSettings([], {}))
  })

  it('accepts variables of the client, of other versions and of other programs', () => {
    const names = [
      'FAREBOX_BASE_URL',
      'FAREBOX_API_KEY',
      'FAREBOX_PRIVATE_KEY',
      'FAREBOX_CONFIG',
      'FAREBOX_DEBUG',
      'FAREBOX_MCP_TOKEN',
      'FAREBOX_ALLOW_INSECURE_HTTP',
      'FAREBOX_CONFIRM_ABOVE_USD',
      'FAREBOX_SERVICE_HOST',
      'FAREBOX_A_SETTING_OF_TOMORROW',
      'FARE_DATA',
      'PORT',
    ]
    const environment = Object.fromEntries(names.map((name) => [name, '1']))
    expect(readSettings([], environment)).toEqual(readSettings([], {}))
  })

  it('prefers flags to the environment', () => {
    const environment = {
      FAREBOX_PORT: '1',
      FAREBOX_ADMIN_KEY: 'from-the-variable',
      FAREBOX_SERVICE_NAME: 'Env',
    }
    expect(readSettings(['--port', '0', '--service-name=Tram'], environment)).toMatchObject({
      port: 0,
      adminKey: 'from-the-variable',
      serviceName: 'Tram',
    })
  })

  it.each([
    [['--nope'], "Unknown option '--nope'"],
    [
      ['extra'],
      'COMMAND: found "extra", expected one of serve, audit, credit, debit, refund, freeze, unfreeze, find, debts, write-off, keys, usage, catalogue, reconcile, backup, restore, doctor',
    ],
    [['audit', 'more'], 'audit: found "more", expected nothing more.'],
    [['backup', 'file', 'more'], 'backup: found "more", expected nothing after its FILE.'],
    [['restore'], 'restore: found no FILE.'],
    [['credit', '--usd', '-1'], '--usd: found "-1", expected an amount'],
    [['credit', '--usd', '1e9'], '--usd: found "1e9", expected an amount'],
    [
      ['keys', 'create', '--type', 'ROOT'],
      '--type: found "ROOT", expected one of INFERENCE, ADMIN',
    ],
    [
      ['--log-level', 'loud'],
      '--log-level: found "loud", expected one of debug, info, warn, error, silent',
    ],
    [['--log-format', 'xml'], 'expected one of json, text'],
    [
      ['--database-url', 'mysql://user@x'],
      '--database-url: found no database URL, expected postgres://',
    ],
    [['--files-at-once', '0'], '--files-at-once: found "0", expected an integer from 1 to 64.'],
    [['--port', 'x'], '--port: found "x", expected an integer from 0 to 65535.'],
    [['--port', '65536'], '--port: found "65536"'],
    [['--origin', 'ftp://x'], '--origin: found "ftp://x"'],
    [['--origin', 'http://x/path'], 'without a path'],
    [
      ['--trusted-proxies', '10.0.0.0/8,proxy'],
      '--trusted-proxies: "proxy" is neither an address nor a CIDR range; expected one like 10.0.0.0/8',
    ],
    [['--connections-per-address', '0'], '--connections-per-address: found "0"'],
    [['--pay-to', '0x1'], 'expected 0x and 40 hex digits'],
    [['--pay-to-solana', '0x1'], 'expected base58 of 32 bytes'],
    [['--facilitator', 'ftp://x'], '--facilitator: found no URL that can be called'],
    [['--facilitator', 'https://user:s3cret@x', '--pay-to', payee], 'without a user or a query'],
    [
      ['--facilitator', 'https://x'],
      'found no recipient of the payments, expected --pay-to or --pay-to-solana',
    ],
    [
      ['--facilitator', 'http://x', '--facilitator-key-file', 'f', '--pay-to', payee],
      'expected https',
    ],
    [
      ['--facilitator', 'https://x', '--facilitator-networks', 'base,bitcoin', '--pay-to', payee],
      '--facilitator-networks: found "bitcoin", expected base',
    ],
    [['--facilitator-key-file', 'f'], '--facilitator: found nothing, expected a URL'],
    [['--upto-usd', '0.1'], '--facilitator: found nothing, expected a URL'],
    [
      ['--facilitator', 'https://x', '--pay-to', payee, '--upto-usd', '0.001'],
      '--upto-usd: found "0.001", expected USD from 0.01 to 10000',
    ],
    [
      ['--facilitator', 'https://x', '--pay-to', payee, '--solana-rpc', 'https://n/?key=s3cret'],
      'Set FAREBOX_SOLANA_RPC to the URL instead.',
    ],
    [['--solana-rpc', 'https://node.example'], '--facilitator: found nothing, expected a URL'],
    [
      ['--facilitator', 'https://x', '--pay-to', payee, '--solana-rpc', 'node?key=s3cret'],
      '--solana-rpc: found no URL that can be called',
    ],
    [
      [
        '--facilitator',
        'https://x',
        '--pay-to',
        payee,
        '--solana-rpc',
        'https://n',
        '--facilitator-networks',
        'solana,solana-devnet',
      ],
      'found two Solana networks',
    ],
    [
      ['usage', '--by', 'day,modle'],
      '--by: found "modle", expected a list of day, key, wallet, model.',
    ],
    [
      ['usage', '--from', '2026-02-30'],
      '--from: found "2026-02-30", expected a day such as 2027-01-31.',
    ],
    [
      ['usage', '--from', '2026-02-02', '--to', '2026-02-01'],
      '--from: found 2026-02-02, expected a day that is not after 2026-02-01.',
    ],
    [['usage', '--format', 'xls'], '--format: found "xls"'],
    [['--speech-upstream', 'ftp://x'], '--speech-upstream: found no URL that can be called'],
    [['--speech-upstream', 'http://user:s3cret@x'], 'without a user'],
    [['--video-upstream-key-file', 'f'], '--video-upstream: found only its key'],
    [['--rpc-url', 'https://base.example'], 'one like eip155:8453=https://base.example/rpc'],
    [
      ['--rpc-url', 'eip155:8453=https://base.example/?key=s3cret'],
      'Set FAREBOX_RPC_URL to the URL instead',
    ],
    [['reconcile', '--since', 'yesterday'], '--since: found "yesterday", expected a day'],
    [['reconcile', '--until', '2026-11-31'], '--until: found "2026-11-31", expected a day'],
    [['--database-url', 'postgres://u:s3cret@x/y'], 'Set FAREBOX_DATABASE_URL to the URL instead.'],
    [
      ['--database-url', 'postgres://u:s3cret@x,z/y'],
      'Set FAREBOX_DATABASE_URL to the URL instead.',
    ],
    [
      ['--database-url', 'postgres://x,z/y?target_session_attrs=prefer-standby'],
      'of several hosts postgres://USER:PASSWORD@HOST:PORT,HOST:PORT/NAME?target_session_attrs=read-write',
    ],
  ])('rejects %j and says why', (args, message) => {
    expect(() => readSettings(args, {})).toThrow(message)
  })

  it.each([
    [['--operator-port', '0'], {}, 'found no key of the operator. Set FAREBOX_OPERATOR_KEY'],
    [
      ['--operator-port', '0'],
      { FAREBOX_OPERATOR_KEY: 'short' },
      'FAREBOX_OPERATOR_KEY: found 5 characters, expected at least 16',
    ],
  ])('opens no operator listener for %j and %j', (args, environment, message) => {
    expect(() => readSettings(args, environment as Environment)).toThrow(message)
  })

  it.each(['ADMIN_KEY', 'METRICS_KEY', 'KEY_PEPPER'])(
    'rejects a FAREBOX_%s that can be guessed when other machines can connect',
    (name) => {
      const environment = { [`FAREBOX_${name}`]: 'guess' }
      const message = `FAREBOX_${name}: found 5 characters, expected at least 16`
      expect(() => readSettings(['--host', '0.0.0.0'], environment)).toThrow(message)
      expect(() => readSettings(['--origin', 'https://api.example.com'], environment)).toThrow(
        message,
      )
      expect(() => readSettings(['--origin', 'http://localhost:4020'], environment)).not.toThrow()
    },
  )

  it('opens a local, read-only operator listener by default', () => {
    const environment = { FAREBOX_OPERATOR_KEY: 'k'.repeat(16) }
    expect(readSettings([], environment).operator).toBeUndefined()
    const { operator } = readSettings(['--operator-port', '0'], environment)
    expect(operator).toEqual({ host: '127.0.0.1', port: 0, key: 'k'.repeat(16), changes: false })
    const open = readSettings(
      ['--operator-port', '1', '--operator-host', '::', '--operator-changes'],
      environment,
    )
    expect(open.operator).toMatchObject({ host: '::', port: 1, changes: true })
  })

  it('reads upstreams with their keys', () => {
    const environment = { FAREBOX_SPEECH_UPSTREAM_KEY: 'k' }
    expect(
      readSettings(
        ['--speech-upstream', 'http://x/v1', '--video-upstream', 'http://y'],
        environment,
      ),
    ).toMatchObject({
      upstreams: {
        upstreams: [
          { name: 'speech', capability: 'speech', url: 'http://x/v1', apiKey: 'k' },
          { name: 'video', capability: 'video', url: 'http://y' },
        ],
      },
    })
    expect(() => readSettings(['--speech-upstream', 'http://user:s3cret@x'], {})).not.toThrow(
      /s3cret/,
    )
  })

  it('reads an upstreams file instead', () => {
    expect(readSettings([], { FAREBOX_UPSTREAMS: 'u.yaml' }).upstreams).toEqual({ file: 'u.yaml' })
    const both = ['--upstreams', 'u.yaml', '--speech-upstream', 'http://x/v1']
    expect(() => readSettings(both, {})).toThrow(
      '--upstreams: found --speech-upstream as well, expected one of them. Move that upstream into u.yaml',
    )
  })

  it('drains by default on PostgreSQL, where other processes take over the calls', () => {
    expect(readSettings(['--database-url', 'postgres://db/ledger'], {}).drainSeconds).toBe(10)
    expect(readSettings(['--drain-seconds', '30'], {}).drainSeconds).toBe(30)
    expect(() => readSettings(['--drain-seconds', '3601'], {})).toThrow('--drain-seconds')
  })

  it('accepts retention in hours or days, but not shorter than the contract promises', () => {
    expect(
      readSettings(['--keep-videos', '3d'], { FAREBOX_KEEP_LIMIT_LOGS: '36h' }).keep,
    ).toMatchObject({
      videos: 3 * 86_400_000,
      limitLogs: 36 * 3_600_000,
    })
    expect(() => readSettings(['--keep-responses', '1h'], {})).toThrow(
      '--keep-responses: found 1 hours, expected 24 hours to 3650 days.',
    )
    expect(() => readSettings(['--keep-responses', '8d'], {})).toThrow(
      '--keep-keys: found 168 hours, expected at least the 192 hours',
    )
    expect(() => readSettings(['--keep-videos', 'long'], {})).toThrow(
      '--keep-videos: found "long", expected hours or days',
    )
  })

  it('accepts a database URL without a secret', () => {
    const url = 'postgres://farebox@db.internal/ledger?sslmode=require'
    expect(readSettings(['--database-url', url], {}).databaseUrl).toBe(url)
    const several = 'postgres://farebox@one,two/ledger?target_session_attrs=read-write'
    expect(readSettings(['--database-url', several], {}).databaseUrl).toBe(several)
  })

  it('reads a list of trusted proxies', () => {
    expect(readSettings([], { FAREBOX_TRUSTED_PROXIES: '10.0.0.0/8, ::1' }).trustedProxies).toEqual(
      ['10.0.0.0/8', '::1'],
    )
  })

  it.each([
    'admin-key',
    'key-pepper',
    'facilitator-key',
    'metrics-key',
    'speech-upstream-key',
    'video-upstream-key',
  ])('rejects %s as a flag, and says where it belongs', (name) => {
    for (const args of [[`--${name}`, 's3cret'], [`--${name}=s3cret`]]) {
      expect(() => readSettings(args, {})).toThrow(
        / is not an option: .* Set it as a variable, such as FAREBOX_ADMIN_KEY, or give a file/,
      )
      expect(() => readSettings(args, {})).not.toThrow(/s3cret/)
    }
  })

  it('reads a secret from its variable or file, and prefers the flag that names a file', () => {
    const file = ['--admin-key-file', 'f']
    expect(readSettings(file, { FAREBOX_METRICS_KEY_FILE: 'g' })).toMatchObject({
      adminKey: 'content-of-file-f',
      metricsKey: 'content-of-file-g',
    })
    expect(
      readSettings(file, {
        FAREBOX_ADMIN_KEY: 'from-the-variable',
        FAREBOX_KEY_PEPPER: 'p'.repeat(16),
      }),
    ).toMatchObject({
      adminKey: 'content-of-file-f',
      keyPepper: 'p'.repeat(16),
    })
  })

  it('rejects a secret that both of its variables set', () => {
    const both = { FAREBOX_ADMIN_KEY: 'from-the-variable', FAREBOX_ADMIN_KEY_FILE: 'f' }
    expect(() => readSettings([], both)).toThrow(
      'FAREBOX_ADMIN_KEY: found FAREBOX_ADMIN_KEY_FILE as well, expected one of them.',
    )
    expect(readSettings(['--admin-key-file', 'g'], both)).toMatchObject({
      adminKey: 'content-of-file-g',
    })
  })

  it('does not print a secret that it rejects', () => {
    expect(() => readSettings([], { FAREBOX_ADMIN_KEY: 'se cret' })).toThrow(
      /^FAREBOX_ADMIN_KEY: found a space/,
    )
    expect(() => readSettings(['--database-url', 's3cret'], {})).not.toThrow(/s3cret/)
    expect(() => readSettings(['--database-url', 'postgres://u:s3cret@x'], {})).not.toThrow(
      /s3cret/,
    )
  })

  it('reads the credit arguments', () => {
    const args = ['credit', '--account', 'tram', '--usd', '2.5', '--staked', '10', '--partner']
    expect(readSettings(args, {})).toMatchObject({
      money: { command: 'credit', account: 'key:tram', usd: 2.5 },
      stakedTokens: 10,
      partner: true,
    })
  })

  it('reads the account, amount, reason and actor of a money command', () => {
    const wallet = '0x857b06519E91e3A54538791bDbb0E22373e36b66'
    const debit = ['debit', '--account', wallet, '--usd', '0.5', '--reason', 'a chargeback']
    expect(readSettings([...debit, '--actor', 'Ada', '--key', 'k1'], {}).money).toEqual({
      command: 'debit',
      subject: '',
      account: wallet,
      usd: 0.5,
      reason: 'a chargeback',
      actor: 'Ada',
      key: 'k1',
      json: false,
      operatorUrl: undefined,
    })
    const url = ['--operator-url', 'http://127.0.0.1:4021/']
    expect(readSettings(['write-off', 'pay_1', '--reason', 'x', ...url], {}).money).toMatchObject({
      command: 'write-off',
      subject: 'pay_1',
    })
    expect(readSettings(['refund', 'led_1', '--reason', 'x', ...url], {}).money).toMatchObject({
      command: 'refund',
      subject: 'led_1',
      usd: undefined,
      operatorUrl: 'http://127.0.0.1:4021',
    })
  })

  it.each<readonly [readonly string[], string]>([
    [
      ['credit', '--account', '0x12', '--usd', '5'],
      '--account: found "0x12", expected a wallet of 0x and 40 hex digits, or key:0x12 for an account of API keys.',
    ],
    ...['a\n', '\u001b[31m', ' a', 'key:', 'key: a', 'a\u202e'].map(
      (account): [string[], string] => [
        ['credit', '--account', account, '--usd', '5'],
        `--account: found ${JSON.stringify(account)}, expected a name in visible characters`,
      ],
    ),
    [['refund'], 'refund: found no ENTRY.'],
    [['find'], 'find: found no TEXT.'],
    [['refund', 'led_1'], 'refund: found no reason. Give --reason'],
    [['refund', 'led_1', 'led_2'], 'refund: found "led_2", expected nothing more.'],
    [['debit', '--reason', 'x', '--usd', '1'], 'debit: found no account. Give --account'],
    [['debit', '--reason', 'x', '--account', 'a'], 'debit: found no amount. Give --usd.'],
    [
      ['debit', '--reason', 'x', '--account', 'a', '--usd', '0'],
      '--usd: found "0", expected more than nothing',
    ],
    [['freeze', '--account', 'a'], 'freeze: found no reason.'],
    [
      ['find', 'a', '--operator-url', 'http://x.example/y'],
      '--operator-url: found "http://x.example/y", expected one like',
    ],
  ])('rejects %j', (args, message) => {
    expect(() => readSettings(args, {})).toThrow(message)
  })

  it('reads a facilitator, but never its key from an argument', () => {
    const args = [
      '--facilitator',
      'https://x.example/x402',
      '--facilitator-networks',
      'base,solana-devnet',
      '--pay-to',
      payee,
    ]
    expect(
      readSettings(args, { FAREBOX_FACILITATOR_KEY: 'from-the-variable' }).facilitator,
    ).toEqual({
      url: 'https://x.example/x402',
      key: 'from-the-variable',
      networks: ['eip155:8453', 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1'],
    })
    expect(
      readSettings(args, { FAREBOX_SOLANA_RPC: 'https://node.example/?api-key=k' }).facilitator
        ?.solanaRpc,
    ).toEqual({
      url: 'https://node.example/?api-key=k',
    })
    expect(() => readSettings([...args], { FAREBOX_FACILITATOR_KEY: 's3 cret' })).toThrow(
      /^FAREBOX_FACILITATOR_KEY: found a space/,
    )
  })
})

it.each(['0', 'fast', ''])('rejects %j as the scale of time limits in one sentence', (scale) => {
  const found = `FAREBOX_TIMEOUT_SCALE: found ${JSON.stringify(scale)}, expected a number above 0, such as 5.`
  expect(() => readSettings([], { FAREBOX_TIMEOUT_SCALE: scale })).toThrow(found)
})

import { readFileSync } from 'node:fs'
import type { Flag, Program } from '@farebox/command-line'
import { usageDimensions, usageFormats } from '../../domain/usage/usage-report.js'
import { logFormats, logLevels } from '../../platform/telemetry/log.js'

/** Commands that correct accounts and debts, or find them. */
export const moneyCommands = [
  'credit',
  'debit',
  'refund',
  'freeze',
  'unfreeze',
  'find',
  'debts',
  'write-off',
] as const
export const commands = [
  'serve',
  'audit',
  ...moneyCommands,
  'keys',
  'usage',
  'catalogue',
  'reconcile',
  'backup',
  'restore',
  'doctor',
] as const
export const keyActions = ['list', 'show', 'create', 'limit', 'rotate', 'revoke', 'usage'] as const
export const keyTypes = ['INFERENCE', 'ADMIN'] as const
export const limitPeriods = ['EPOCH', 'MONTH', 'LIFETIME'] as const

const flags = [
  {
    ...text(
      'data',
      'FOLDER',
      'the folder of the database, which one process holds at a time',
      './farebox-data',
    ),
    completes: 'folder' as const,
  },
  text(
    'database-url',
    'URL',
    'a PostgreSQL in place of the folder: postgres://USER@HOST:PORT/NAME; with a password only as a variable',
  ),
  secret(
    'key-pepper',
    'keys the hashes of API keys; without it one is made and kept in the database',
  ),
  secret(
    'key-pepper-old',
    'is the previous pepper, whose API keys stay valid; each is rehashed when it is used',
  ),
  {
    ...text(
      'audit-anchor',
      'FILE',
      'serve, audit: append verified hashes to this file, outside the database, and compare them',
    ),
    completes: 'file' as const,
  },
  ...groupFlags('Options of serve', [
    text('port', 'PORT', '0 picks a free one', '4020'),
    text('host', 'HOST', 'the address to listen at', '127.0.0.1'),
    text(
      'origin',
      'URL',
      'the public origin, which sign-in messages must name (default: http://HOST:PORT)',
    ),
    text(
      'trusted-proxies',
      'LIST',
      'addresses and CIDR ranges of reverse proxies, whose Forwarded or X-Forwarded-For names the client',
    ),
    text('connections-per-address', 'COUNT', 'connections that one address may have open', '256'),
    text('service-name', 'NAME', 'is named in the sign-in statement', 'Farebox'),
    secret('admin-key', 'is a bearer key with full access'),
    secret('admin-key-old', 'is the previous one, which is accepted too'),
    text('admin-credit', 'USD', 'the first credit of its account on a new database'),
    text('pay-to', 'ADDRESS', 'the EVM address that top-ups pay to'),
    text('pay-to-solana', 'ADDRESS', 'the Solana address that they pay to'),
    text(
      'facilitator',
      'URL',
      'an x402 facilitator, which verifies top-ups and sends them to the chain; without it they are verified here and no money moves, which needs --unsettled-payments or --no-wallets where others call, or an upstream may bill. Needs --pay-to, --pay-to-solana or both',
    ),
    secret('facilitator-key', 'is the bearer key for it'),
    {
      ...toggle('no-wallets', 'accept no wallets and no payments; callers need API keys'),
      variable: toVariableName('no-wallets'),
    },
    {
      ...toggle(
        'unsettled-payments',
        'credit payments that move no money, also with an --origin that is not this machine, or an upstream that may bill',
      ),
      variable: toVariableName('unsettled-payments'),
    },
    text(
      'facilitator-networks',
      'LIST',
      'base,solana; or base-sepolia, solana-devnet (what is paid there is credited as money)',
    ),
    text(
      'upto-usd',
      'USD',
      'also offer "upto" for calls, if the facilitator supports it: a maximum is signed, and what the call cost is settled after it. This is the maximum where the price is not known before, such as 0.10',
    ),
    text(
      'solana-rpc',
      'URL',
      'a Solana node that gives its offers on Solana a recentBlockhash, so that wallets need none',
    ),
    text(
      'rpc-url',
      'LIST',
      'nodes to compare payments with once a day, such as eip155:8453=https://base.example/rpc; also for reconcile',
    ),
    {
      ...toggle('allow-nonce-reuse', 'accept a sign-in message until it expires, not once'),
      variable: toVariableName('allow-nonce-reuse'),
    },
    {
      ...text('log-level', 'LEVEL', `what goes to stderr: ${logLevels.join(', ')}`, 'info'),
      choices: logLevels,
    },
    { ...text('log-format', 'FORMAT', logFormats.join(' or '), 'json'), choices: logFormats },
    secret(
      'metrics-key',
      'is the bearer key that /metrics asks for; without it that is the admin key',
    ),
    text(
      'operator-port',
      'PORT',
      "serve the operator's page and API at this port as well; 0 picks a free one (default: they are off)",
    ),
    text('operator-host', 'HOST', 'the address that they listen at', '127.0.0.1'),
    secret('operator-key', 'is the bearer key for them, of at least 16 characters'),
    {
      ...toggle(
        'operator-changes',
        'let them change API keys and move money; without it they read only',
      ),
      variable: toVariableName('operator-changes'),
    },
    {
      ...text(
        'upstreams',
        'FILE',
        'the upstreams of speech, videos and documents, in JSON or YAML; read again when it changes, and at SIGHUP',
      ),
      completes: 'file' as const,
    },
    {
      ...toggle(
        'name-backends',
        'tell callers in X-Farebox-Backend which host, or which embedded part, served them',
      ),
      variable: toVariableName('name-backends'),
    },
    {
      ...toggle(
        'no-stored-responses',
        'store no response for a repeat under an Idempotency-Key, which is then a 409 if the request was charged',
      ),
      variable: toVariableName('no-stored-responses'),
    },
    text(
      'drain-seconds',
      'SECONDS',
      'how long it keeps serving after SIGTERM while /readyz returns 503, so that load balancers notice (default: 10 on PostgreSQL; 0 on a folder, which no other process serves)',
    ),
    text(
      'keep-responses',
      'TIME',
      'how long a response is kept for repeats under its Idempotency-Key: at least 24h, the promise of the contract',
      '24h',
    ),
    text('keep-videos', 'TIME', 'how long a finished video is kept: at least 24h', '24h'),
    text(
      'keep-keys',
      'TIME',
      'how long an Idempotency-Key is known: at least as long as responses and videos',
      '7d',
    ),
    text(
      'keep-limit-logs',
      'TIME',
      'how long records of reached limits are kept: at least 24h (default: the last 50 of an account)',
    ),
    text(
      'speech-upstream',
      'URL',
      "a service with OpenAI's /audio/speech below this URL; its voices speak",
    ),
    secret('speech-upstream-key', 'is the bearer key for it'),
    text(
      'video-upstream',
      'URL',
      "a service with this contract's /video/queue below this URL; it makes the videos",
    ),
    secret('video-upstream-key', 'is the bearer key for it'),
    {
      ...text(
        'catalogue',
        'FILE',
        'models, voices, prices and limits that replace those of the contract; JSON or YAML',
      ),
      completes: 'file' as const,
    },
    text(
      'files-at-once',
      'COUNT',
      'documents that are parsed concurrently, each in a thread of up to 512 MB; one caller never gets all of several',
      '2',
    ),
    text(
      'videos-at-once',
      'COUNT',
      'videos that are made concurrently; one account gets at most half',
      '4',
    ),
  ]),
  ...groupFlags('Options of audit', [
    toggle('new', 'only entries since the last audit, which the service runs once a minute'),
  ]),
  ...groupFlags('Options of reconcile', [
    {
      ...text(
        'settlements',
        'FILE',
        'CSV or JSON with transaction, payer and amount (USD), as a facilitator exported it',
      ),
      completes: 'file' as const,
    },
    text('since', 'TIME', 'payments from this day or time on (default: the last 7 days)'),
    text('until', 'TIME', 'payments before it (default: until 10 minutes ago)'),
  ]),
  ...groupFlags('Options of credit, debit, refund, freeze, unfreeze, find, debts and write-off', [
    text(
      'account',
      'ACCOUNT',
      'whose: the name of an account of API keys or the address of a wallet; admin is that of the admin key (default for credit and keys create: admin; keys list: every account)',
    ),
    text('usd', 'USD', 'how much; refund: a part of the charge (default: all that is left of it)'),
    text('reason', 'TEXT', 'the reason, which the ledger keeps; optional for credit'),
    text('actor', 'NAME', 'who does it (default: the user of the system)'),
    text('key', 'TEXT', 'commands with the same key take effect once'),
    text(
      'operator-url',
      'URL',
      "the operator's page of a running service, such as http://127.0.0.1:4021, which then does it, with the operator's key; without it the database is changed, and an embedded one must not be in use",
    ),
    text('staked', 'TOKENS', 'tokens staked, each worth 1 USD a UTC day'),
    toggle('partner', 'the limits of partners apply'),
    toggle('no-partner', 'they no longer apply'),
  ]),
  ...groupFlags('Options of keys', [
    { ...text('type', 'TYPE', `create: ${keyTypes.join(' or ')}`, 'INFERENCE'), choices: keyTypes },
    text('description', 'TEXT', 'create, limit: what it is for'),
    text('limit-usd', 'USD', 'create, limit: the most that it may consume in the period'),
    text('limit-diem', 'DIEM', 'create, limit: the most daily credit that it may consume'),
    toggle('no-limit', 'limit: no limit of its own'),
    {
      ...text('period', 'PERIOD', 'create, limit: EPOCH (a UTC day), MONTH or LIFETIME'),
      choices: limitPeriods,
    },
    text('expires', 'TIME', 'create, limit: when it ends, such as 2027-01-01T00:00:00Z'),
    toggle('no-expiry', 'limit: it does not expire'),
    text('grace', 'SECONDS', 'rotate: how long the old secret is accepted too', '0'),
    {
      ...text('state', 'STATE', 'list: active, expired or revoked'),
      choices: ['active', 'expired', 'revoked'],
    },
    text('days', 'DAYS', 'usage: the last days', '30'),
    toggle('json', 'print JSON; also of doctor'),
  ]),
  ...groupFlags('Options of usage', [
    text(
      'from',
      'DAY',
      'the first day in UTC, such as 2027-01-01 (default: 29 days before the last)',
    ),
    text('to', 'DAY', 'the last day in UTC (default: today)'),
    text('by', 'LIST', `how rows are grouped: ${usageDimensions.join(', ')}`, 'day,model'),
    { ...text('format', 'FORMAT', usageFormats.join(', '), 'csv'), choices: usageFormats },
    {
      ...text('output', 'FILE', 'where it goes; - is stdout', '-'),
      short: 'o',
      completes: 'file' as const,
    },
  ]),
]

export type FlagName = (typeof flags)[number]['name']

/** The secrets of the command. Each is a variable, or in a file that a flag names. */
export type SecretName = FlagName extends infer Name
  ? Name extends `${infer Secret}-file`
    ? Secret
    : never
  : never

/** The command `farebox-service`. A flag with a value is also a FAREBOX_ variable. */
export const program: Program<FlagName> = {
  name: 'farebox-service',
  summary: 'serves the Farebox inference API from an embedded database, or from PostgreSQL',
  version: readVersion(),
  operands: [
    { name: 'COMMAND', required: false, choices: commands },
    {
      name: 'ACTION|FILE|ENTRY|DEBT|TEXT',
      required: false,
      choices: keyActions,
      completes: 'file',
    },
    { name: 'ID', required: false },
  ],
  flags,
  credentials:
    'Set it as a variable, such as FAREBOX_ADMIN_KEY, or give a file that holds it, such as --admin-key-file FILE.',
  notes: [
    {
      title: 'Commands:',
      rows: [
        ['serve (default)', 'serve until SIGTERM or SIGINT'],
        [
          'audit',
          'recompute every balance and every hash from the entries; exit 1 when one differs',
        ],
        [
          'credit',
          'credit --account with --usd, set the tokens that it has staked (--staked) or the limits of partners (--partner)',
        ],
        ['debit', 'take --usd away from --account, which must be able to spend it'],
        ['refund ENTRY', 'give a charge back, or --usd of it; "find" and the page name the entry'],
        ['freeze', 'reject new work and new keys of --account; its balance can still be read'],
        ['unfreeze', 'end that'],
        [
          'find TEXT',
          'accounts by the beginning of a name or of the id of a key, or by a ledger entry, a request or a transaction',
        ],
        ['debts', 'delivered work whose payment by "upto" was not settled'],
        ['write-off DEBT', 'grant a wallet what it owes for that, which ends its stop'],
        [
          'keys list',
          'the API keys, newest first: of all accounts, or of --account; with their last use',
        ],
        ['keys create', 'create an API key for --account and print its secret once'],
        ['keys show ID', 'one key, with what it consumed in its period'],
        ['keys limit ID', 'change limits, expiry or description; what is not given stays'],
        [
          'keys rotate ID',
          'give it a new secret and print it once; the old one ends, or after --grace',
        ],
        ['keys revoke ID', 'revoke it for good, with all keys that it created'],
        ['keys usage ID', 'calls and costs by UTC day and model, from the ledger'],
        ['usage', 'requests, charges, costs and margins from the ledger, as a file'],
        [
          'catalogue',
          'print the models, voices, prices and limits in force, as a file for --catalogue',
        ],
        [
          'reconcile',
          'compare credited payments with --settlements, with the chains of --rpc-url or both; exit 1 when one differs',
        ],
        [
          'backup FILE',
          'write all that the database has into a new file, also while the service runs; - is stdout',
        ],
        [
          'doctor',
          'check settings, secrets, folder, database, clock, origin, upstreams and facilitator; exit 1 when one fails',
        ],
        ['restore FILE', 'read it into an empty folder or PostgreSQL, and audit the ledger'],
      ],
    },
    {
      title: 'Environment:',
      rows: [
        [
          'FAREBOX_TIMEOUT_SCALE',
          'multiplies the time limits of work, for a slow machine (default 1)',
        ],
        [
          'OTEL_EXPORTER_OTLP_ENDPOINT',
          'a collector that serve sends traces and metrics to (OTLP over HTTP); all variables OTEL_* apply',
        ],
      ],
    },
    {
      title: 'Exit codes:',
      text: '0 done, 1 the folder, the database or the port cannot be had, or an audit found a difference, 2 wrong usage.',
    },
  ],
  examples: [
    'farebox-service --port 4020 --data ./farebox-data',
    'farebox-service credit --account admin --usd 10',
  ],
}

function text<Name extends string>(
  name: Name,
  value: string,
  help: string,
  fallback?: string,
): Flag<Name> {
  return {
    name,
    kind: 'text',
    value,
    help,
    variable: toVariableName(name),
    ...(fallback !== undefined && { fallback }),
  }
}

/** A file, because every user of the machine can read the arguments of a process. */
function secret<Name extends string>(name: Name, help: string): Flag<`${Name}-file`> {
  return {
    ...text(
      `${name}-file` as const,
      'FILE',
      `a file whose content ${help} (or ${toVariableName(name)})`,
    ),
    completes: 'file',
  }
}

function toggle<Name extends string>(name: Name, help: string): Flag<Name> {
  return { name, kind: 'switch', help }
}

function groupFlags<Name extends string>(
  group: string,
  members: readonly Flag<Name>[],
): readonly Flag<Name>[] {
  return members.map((flag) => ({ ...flag, group }))
}

export function toVariableName(flag: string): string {
  return `FAREBOX_${flag.replaceAll('-', '_').toUpperCase()}`
}

function readVersion(): string {
  const manifest = JSON.parse(
    readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
  ) as { readonly version: string }
  return manifest.version
}

import { type Command, type Flag, output, text, toggle, idempotencyKey, yes } from './command.js'
import { inferenceCommands, mediaCommands } from './model-commands.js'

const chain: Flag = {
  ...text('chain', 'CHAIN', 'evm or solana (default evm)'),
  choices: ['evm', 'solana'],
}

/** The commands that set up a machine, and show its settings. */
const setUpCommands: readonly Command[] = [
  {
    name: 'init',
    summary: 'create the configuration: the service, and a wallet or an API key',
    details: `Asks for what the options leave open. Only you can read the file. An existing file is not changed. Secrets are read from a file or from stdin,
never from the command line.`,
    operands: [],
    flags: [
      toggle('new-wallet', 'create a wallet'),
      chain,
      {
        ...text('wallet-file', 'FILE', 'the private key of your wallet; - is stdin'),
        completes: 'file',
      },
      { ...text('key-file', 'FILE', 'an API key; - is stdin'), completes: 'file' },
    ],
    examples: [
      'farebox init',
      'farebox init --base-url https://api.example.com/api/v1 --new-wallet',
      'farebox init --base-url https://api.example.com/api/v1 --key-file tram.key',
    ],
    load: async () => (await import('./commands/init.js')).init,
  },
  {
    name: 'whoami',
    summary: 'show how the service identifies you, with balance and limits',
    details: `With --check it checks everything that a call needs: Node, configuration, service, clock, sign-in, caps and proxy. It spends nothing, changes
nothing, and exits with 1 if a check fails. A warning is not a failure.`,
    operands: [],
    flags: [toggle('check', 'check the whole setup, with advice for each failure')],
    examples: [
      'farebox whoami',
      'farebox whoami --check',
      'farebox whoami --as key --select balances.USD',
    ],
    load: async () => (await import('./commands/whoami.js')).whoami,
  },
  {
    name: 'wallet new',
    summary: 'create a wallet, and write its secret to a file',
    details:
      'Without -o the secret is added to the configuration, which must not have a wallet yet. An existing file is not overwritten.',
    operands: [],
    flags: [chain, output, toggle('print', 'print the secret, and do not store it')],
    examples: ['farebox wallet new', 'farebox wallet new --chain solana -o tram.wallet'],
    load: async () => (await import('./commands/wallet.js')).walletNew,
  },
  {
    name: 'wallet show',
    summary: 'show the address of the wallet, and where its secret is',
    operands: [],
    flags: [toggle('secret', 'print only the private key')],
    examples: ['farebox wallet show', 'farebox wallet show --select address'],
    load: async () => (await import('./commands/wallet.js')).walletShow,
  },
]

const account = text('account', 'ACCOUNT', 'an account such as key:tram, as the operator')
const keyLimits: readonly Flag[] = [
  text('description', 'TEXT', 'the purpose of the key, at most 64 characters'),
  {
    ...text('limit-usd', 'USD', 'the most that the key may consume'),
    field: 'consumptionLimit.usd',
  },
  {
    ...text('limit-diem', 'DIEM', 'the most daily credit that the key may consume'),
    field: 'consumptionLimit.diem',
  },
  {
    ...text('period', 'PERIOD', 'the period of the limits: EPOCH (a UTC day), MONTH or LIFETIME'),
    field: 'limitPeriod',
    schema: ['createApiKey', 'LimitPeriod'],
  },
  {
    ...text(
      'expires',
      'TIME',
      'when the key expires, such as 2027-01-01T00:00:00Z (default never)',
    ),
    field: 'expiresAt',
  },
]
const ownerDetails =
  'With FAREBOX_OPERATOR_KEY this acts as the operator, on the keys of all accounts. Otherwise, or with --as key, it needs an ADMIN key and acts on that key and the keys that it created.'
const operatorDetails = 'Needs the operator key, and a service that runs with --operator-port.'

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [
  ...setUpCommands,
  ...inferenceCommands,
  ...mediaCommands,
  {
    name: 'balance',
    summary: 'show the balance',
    operands: [],
    flags: [],
    examples: ['farebox balance', 'farebox balance --as key --json'],
    load: async () => (await import('./commands/account.js')).balance,
  },
  {
    name: 'top-up',
    summary: 'buy credit for the wallet',
    details:
      'Signs one payment of exactly this amount in USDC. If its outcome is unknown, check the balance before you buy again.',
    operands: [{ name: 'USD', required: true }],
    fields: ['amountUsd'],
    flags: [yes],
    examples: ['farebox top-up 10'],
    load: async () => (await import('./commands/account.js')).topUp,
  },
  {
    name: 'transactions',
    summary: "list the wallet's ledger, newest first",
    operands: [],
    flags: [
      toggle('all', 'print every page'),
      toggle('csv', 'print CSV that a spreadsheet cannot evaluate as formulas'),
      text('limit', 'COUNT', 'entries per page, 1 to 100 (default 50)'),
      text('offset', 'COUNT', 'entries to skip (default 0)'),
    ],
    examples: [
      'farebox transactions --all --jsonl',
      'farebox transactions --all --csv > ledger.csv',
      'farebox transactions --select amount',
    ],
    load: async () => (await import('./commands/account.js')).transactions,
  },
  {
    name: 'keys create',
    summary: 'create an API key and print it once',
    details: `Needs an ADMIN key, or with --account the operator key. With -o the key is written to a file that only you can read, and not to the screen.`,
    operands: [],
    flags: [
      output,
      {
        ...text('type', 'TYPE', 'INFERENCE or ADMIN (default INFERENCE)'),
        field: 'apiKeyType',
        schema: ['createApiKey', 'ApiKeyType'],
      },
      ...keyLimits,
      account,
      idempotencyKey,
    ],
    examples: [
      'farebox keys create --description "night bus" --limit-usd 5 --period MONTH -o night-bus.key',
    ],
    load: async () => (await import('./commands/keys.js')).keysCreate,
  },
  {
    name: 'keys list',
    summary: 'list API keys with their last use',
    details: ownerDetails,
    operands: [],
    flags: [
      account,
      {
        ...text('state', 'STATE', 'active, expired or revoked'),
        choices: ['active', 'expired', 'revoked'],
      },
    ],
    examples: ['farebox keys list --account key:tram', 'farebox keys list --state active --json'],
    load: async () => (await import('./commands/keys.js')).keysList,
  },
  {
    name: 'keys show',
    summary: 'show an API key',
    details: ownerDetails,
    operands: [{ name: 'ID', required: true }],
    flags: [],
    examples: ['farebox keys show ID'],
    load: async () => (await import('./commands/keys.js')).keysShow,
  },
  {
    name: 'keys limit',
    summary: 'change the limits, expiry or description of an API key',
    details: `${ownerDetails} Fields that are not given keep their value. The change applies from the next request.`,
    operands: [{ name: 'ID', required: true }],
    flags: [
      ...keyLimits,
      toggle('no-limit', 'remove the limit of the key'),
      toggle('no-expiry', 'the key never expires'),
    ],
    examples: [
      'farebox keys limit ID --limit-usd 10 --period MONTH',
      'farebox keys limit ID --no-expiry',
    ],
    load: async () => (await import('./commands/keys.js')).keysLimit,
  },
  {
    name: 'keys rotate',
    summary: 'give an API key a new secret and print it once',
    details: `${ownerDetails} The old secret stops working at once, or after --grace.`,
    operands: [{ name: 'ID', required: true }],
    flags: [output, text('grace', 'SECONDS', 'how long the old secret keeps working (default 0)')],
    examples: ['farebox keys rotate ID --grace 3600 -o night-bus.key'],
    load: async () => (await import('./commands/keys.js')).keysRotate,
  },
  {
    name: 'keys revoke',
    summary: 'revoke an API key and all keys that it created',
    details: ownerDetails,
    operands: [{ name: 'ID', required: true }],
    flags: [],
    examples: ['farebox keys revoke ID'],
    load: async () => (await import('./commands/keys.js')).keysRevoke,
  },
  {
    name: 'keys usage',
    summary: 'show what an API key spent by day and model, as the operator',
    details: operatorDetails,
    operands: [{ name: 'ID', required: true }],
    flags: [text('days', 'DAYS', 'how many days (default 30)')],
    examples: ['farebox keys usage ID --days 7'],
    load: async () => (await import('./commands/keys.js')).keysUsage,
  },
  {
    name: 'limits',
    summary: 'show the rate limits of the API key',
    operands: [],
    flags: [toggle('log', 'show when limits were last reached')],
    examples: ['farebox limits', 'farebox limits --log --json'],
    load: async () => (await import('./commands/account.js')).limits,
  },
  {
    name: 'verify',
    summary: 'check a service against the contract',
    details: `By default this costs nothing and uses new wallets. With --spend it also buys a little speech, the text of a document and the
cheapest video. With --top-up it first buys credit with your wallet, or with a new one, which only a service without settlement accepts. It
stays within the limits of the service. The exit code is 1 if a check failed.`,
    operands: [],
    flags: [
      text('spend', 'USD', 'also run the checks that cost money, up to this amount'),
      text('top-up', 'USD', 'buy credit for the wallet first (5 or more), and spend from it'),
      toggle('pay-inline', 'also pay 5 USD within a request, as credit of the wallet'),
    ],
    examples: [
      'farebox verify --base-url http://127.0.0.1:4020/api/v1 --top-up 5',
      'farebox verify --base-url https://api.example.com/api/v1 --spend 0.10 --json > report.json',
    ],
    load: async () => (await import('./commands/verify.js')).verify,
  },
  {
    name: 'verify-x402',
    summary: 'check any paid endpoint, or any paying client, against x402',
    details: `The endpoint gets about 30 requests, or 50 if it offers the scheme upto, most with payments that it must reject.
They are signed by a new wallet without funds, so only a service without settlement accepts one. With --client the words after -- are
a command that pays broken and hostile services on this machine: it reads the URL from X402_URL and a new key from X402_PRIVATE_KEY, and exits with 0 if it was served. The exit code is 1 if a check failed.`,
    operands: [{ name: 'URL', required: true, many: true }],
    flags: [
      toggle('client', 'check a client: the command after --'),
      text(
        'method',
        'METHOD',
        'the method of the paid request (default: GET, or POST if GET is not paid)',
      ),
      text('body', 'JSON', 'the body of the paid request'),
    ],
    examples: [
      'farebox verify-x402 https://api.example.com/report',
      'farebox verify-x402 https://api.example/x402/top-up --json',
      'farebox verify-x402 --client -- node pay.mjs',
    ],
    load: async () => (await import('./commands/verify.js')).verifyX402,
  },
  {
    name: 'mcp',
    summary: 'serve the operations to an AI model, as MCP tools over stdio or HTTP',
    details: `The price of a call is reserved before it is sent. A call above a cap is not sent. A tool is offered if its credential is set. A tool
that needs an ADMIN key is offered only if --tools names it: it puts secrets into the conversation, and text that the model reads could misuse it.`,
    operands: [],
    flags: [
      text('max-usd-per-call', 'USD', 'the most that one call may cost (default 1)'),
      text('max-usd', 'USD', 'the most that all calls and top-ups may cost together (default 5)'),
      toggle('read-only', 'offer only tools that read'),
      {
        name: 'folder',
        kind: 'text',
        value: 'FOLDER',
        help: 'the folder of files (default: files are part of the conversation)',
        completes: 'folder',
      },
      text('tools', 'NAMES', 'offer only these, such as createSpeech,parseText'),
      toggle('consent', 'let the model attest consent to faces on your behalf'),
      toggle('docs', 'offer the documentation instead: search and read it offline'),
      text('http', 'PORT', 'serve Streamable HTTP at /mcp instead of stdio; 0 selects a free port'),
      text('host', 'ADDRESS', 'the address to listen on, with --http (default 127.0.0.1)'),
      text(
        'allow-origin',
        'ORIGINS',
        'pages that may call, with --http, such as https://inspector.example (default none)',
      ),
    ],
    examples: [
      'farebox mcp --folder ./media --max-usd 2',
      'farebox mcp --read-only',
      'farebox mcp --docs',
      'FAREBOX_MCP_TOKEN=$(cat token) farebox mcp --http 8081',
    ],
    load: async () => (await import('./commands/mcp.js')).mcp,
  },
  {
    name: 'demo',
    summary: 'start a service, pay it from a new wallet and call it, without real money',
    details: `Needs @farebox/service. Nothing leaves this machine: the payment is signed and verified, and no money moves. Then a page shows each call
with its payment and its charge, until Ctrl-C.`,
    operands: [],
    flags: [
      toggle('keep', 'keep the folder with the ledger and the speech'),
      toggle('no-page', 'exit after the call, without the page'),
      text('port', 'PORT', 'the port of 127.0.0.1 to listen on (default: a free one)'),
    ],
    examples: ['farebox demo', 'farebox demo --no-page --json'],
    load: async () => (await import('./commands/demo.js')).demo,
  },
  {
    name: 'serve',
    summary: 'start a local service',
    details: 'Passes all arguments to the command of @farebox/service.',
    operands: [],
    flags: [],
    passes: true,
    examples: ['farebox serve --port 4020 --data ./farebox-data'],
    load: async () => (await import('./commands/serve.js')).serve,
  },
  {
    name: 'completion',
    summary: 'print a completion script for a shell',
    operands: [{ name: 'SHELL', required: true, choices: ['bash', 'zsh', 'fish'] }],
    flags: [],
    examples: ['source <(farebox completion bash)', 'farebox completion fish | source'],
    load: async () => (await import('./commands/completion.js')).completion,
  },
]

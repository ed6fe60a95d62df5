import { existsSync } from 'node:fs'
import { type CommandHandler, type Context, CommandError, UsageError } from '../command.js'
import { printJson, paint, printLine, formatTable, type Terminal } from '../io/terminal.js'
import { createExistsError, createSettings } from '../settings/write-settings.js'
import { findSettingsPath, type Settings } from '../settings/settings.js'
import { expected } from '@farebox/command-line'
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { readService } from '../calls/connect.js'
import { decodeText, readStdin } from '../io/read-input.js'
import { chains, createSigner, createWallet } from '../settings/signer.js'

/** Creates the configuration: the service, and a wallet or a key. Never overwrites one. */
export const init: CommandHandler = async (context) => {
  const { arguments: args, environment, terminal } = context
  const path = findSettingsPath(environment, args.text('config'))
  // before a question is asked; creating the file checks again, atomically
  if (existsSync(path)) throw createExistsError(path)
  const choices = await readChoices(context)
  await createSettings(path, choices.settings)
  const next = listNextSteps(choices, args.text('config'))
  const { settings, address } = choices
  const credential = settings.apiKey === undefined ? 'wallet' : 'key'
  if (args.has('json')) {
    await printJson(terminal, {
      file: path,
      baseUrl: settings.baseUrl,
      credential,
      ...(address !== undefined && { address }),
      next,
    })
    return 0
  }
  const facts = [
    ['configuration', `${path} (only you can read it)`],
    ['service', settings.baseUrl ?? ''],
    address === undefined ? ['API key', 'in the configuration'] : ['wallet', address],
  ]
  await printLine(
    terminal,
    `${formatTable(facts)}\n\n${paint(terminal, 'bold', 'Next')}\n${next.map((line) => `  ${line}`).join('\n')}`,
  )
  return 0
}

/** A key already has credit. A wallet has to buy some. */
function listNextSteps({ address }: Choices, config: string | undefined): readonly string[] {
  const program =
    config === undefined
      ? 'farebox'
      : `farebox --config ${/^[\w./-]+$/.test(config) ? config : JSON.stringify(config)}`
  return [
    `${program} whoami --check`,
    address === undefined ? `${program} whoami` : `${program} top-up 5`,
    `${program} speech "Hello" -o hello.mp3`,
  ]
}

/** Where `farebox serve` listens. */
const localUrl = 'http://127.0.0.1:4020/api/v1'

/** The contents of the new configuration. */
type Choices = {
  readonly settings: Settings
  /** The address of the wallet, if the credential is a wallet. */
  readonly address?: string
}

/** Reads the choices from the flags, and asks a person at a terminal for the others. */
async function readChoices(context: Context): Promise<Choices> {
  const { arguments: args, environment, terminal, signal } = context
  const variable = environment['FAREBOX_BASE_URL'] || undefined
  const answers = {
    baseUrl: args.text('base-url') ?? variable,
    credential: await readCredential(context),
  }
  const isStated = answers.baseUrl !== undefined && answers.credential !== undefined
  if (!isStated && !canAsk(terminal)) {
    throw new UsageError(
      'There is no terminal to ask on. Pass --base-url URL, and one of --new-wallet, --wallet-file FILE and --key-file FILE.',
    )
  }
  const dialogue = isStated ? undefined : createDialogue(terminal, signal)
  try {
    const entry = answers.baseUrl ?? (await dialogue?.ask('The base URL of the service', localUrl))
    // checked before the next question
    const insecureHttp = environment['FAREBOX_ALLOW_INSECURE_HTTP']
    const { baseUrl, allowInsecureHttp } = readService(context, {
      ...(entry !== undefined && { baseUrl: entry }),
      ...(insecureHttp !== undefined && { allowInsecureHttp: insecureHttp }),
    })
    const credential = answers.credential ?? (await askCredential(dialogue as Dialogue))
    const address =
      credential.privateKey === undefined ? undefined : createSigner(credential.privateKey).address
    return {
      settings: { baseUrl, ...credential, ...(allowInsecureHttp && { allowInsecureHttp: 'true' }) },
      ...(address !== undefined && { address }),
    }
  } finally {
    dialogue?.close()
  }
}

type Credential = Pick<Settings, 'privateKey' | 'apiKey'>

async function readCredential({
  arguments: args,
  terminal,
}: Context): Promise<Credential | undefined> {
  const [walletFile, keyFile] = [args.text('wallet-file'), args.text('key-file')]
  const flags = [
    args.has('new-wallet') && '--new-wallet',
    walletFile && '--wallet-file',
    keyFile && '--key-file',
  ].filter(Boolean)
  if (flags.length > 1)
    throw new UsageError(
      `${flags.join(' and ')} cannot be combined. Pass one: a configuration has one caller.`,
    )
  const chain = args.choice('chain', chains)
  if (chain !== undefined && !args.has('new-wallet'))
    throw new UsageError('--chain is for --new-wallet.')
  if (args.has('new-wallet')) return { privateKey: createWallet(chain ?? 'evm').privateKey }
  const read = async (path: string, flag: string) => {
    const text =
      path === '-'
        ? decodeText(await readStdin(terminal, 4096), 'stdin')
        : await readText(path, flag)
    if (/^\S+$/.test(text.trim())) return text.trim()
    throw new UsageError(
      `${flag} ${path}: found ${text.trim() === '' ? 'nothing' : 'several words'}, expected only a key.`,
    )
  }
  if (walletFile !== undefined) return { privateKey: await read(walletFile, '--wallet-file') }
  return keyFile === undefined ? undefined : { apiKey: await read(keyFile, '--key-file') }
}

function readText(path: string, flag: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(
      `${flag} ${path} cannot be read (${error.code ?? error.message}). Check the path and its permissions.`,
    )
  })
}

async function askCredential({ ask, askSecret }: Dialogue): Promise<Credential> {
  const kinds = ['new', 'solana', 'wallet', 'key'] as const
  const text = await ask(
    'How do you pay? new: a new wallet (EVM), solana: a new one on Solana, wallet: your own wallet, key: an API key',
    'new',
  )
  const kind = kinds.find((candidate) => candidate.startsWith(text.toLowerCase()))
  if (kind === undefined) throw expected('How you pay', text, kinds.join(', '))
  if (kind === 'new' || kind === 'solana')
    return { privateKey: createWallet(kind === 'new' ? 'evm' : kind).privateKey }
  const secret = await askSecret(
    kind === 'wallet' ? 'The private key of the wallet' : 'The API key',
  )
  if (!/^\S+$/.test(secret))
    throw new UsageError('Expected a key without spaces. Nothing was written.')
  return kind === 'wallet' ? { privateKey: secret } : { apiKey: secret }
}

/** Questions to a person at a terminal, on stderr. Each rejects when the person gives up. */
type Dialogue = {
  /** An empty response is the default. */
  readonly ask: (question: string, fallback?: string) => Promise<string>
  /** Does not show the typed text. */
  readonly askSecret: (question: string) => Promise<string>
  readonly close: () => void
}

/** Whether there is a person to ask. */
function canAsk({ in: input, err }: Pick<Terminal, 'in' | 'err'>): boolean {
  return input.isTTY === true && err.isTTY === true
}

/** One reader for all questions, so that no line gets lost between two of them. */
function createDialogue(
  { in: input, err }: Pick<Terminal, 'in' | 'err'>,
  signal: AbortSignal,
): Dialogue {
  let isHidden = false
  // the line editor repeats each key that it reads
  const echo = new Writable({
    write: (part: Buffer, _encoding, done) => {
      if (!isHidden) err.write(part)
      done()
    },
  })
  const lines = createInterface({ input, output: echo, terminal: true, signal })
  const typed = lines[Symbol.asyncIterator]()
  const next = async (): Promise<string> => {
    const line = await typed.next()
    if (line.done === true) throw new CommandError('declined', 'Nothing was written.')
    return line.value.trim()
  }
  return {
    ask: async (question, fallback) => {
      lines.setPrompt(fallback === undefined ? `${question}: ` : `${question} [${fallback}]: `)
      lines.prompt()
      return (await next()) || (fallback ?? '')
    },
    askSecret: async (question) => {
      isHidden = true
      err.write(`${question} (not shown): `)
      try {
        return await next()
      } finally {
        isHidden = false
        err.write('\n')
      }
    },
    close: () => lines.close(),
  }
}

import { type Context, type CommandHandler, CommandError, UsageError } from '../command.js'
import { printJson, note, printLine, formatTable } from '../io/terminal.js'
import { chains, createSigner, createWallet, type NewWallet } from '../settings/signer.js'
import { createSecretFile, createSettings, replaceSettings } from '../settings/write-settings.js'
import {
  hasNamedFile,
  readSettings,
  readStoredSettings,
  findSettingsPath,
} from '../settings/settings.js'

/**
 * Creates a wallet. Its secret goes into the configuration, into the file of `-o`, or with `--print`
 * to stdout. Nothing is overwritten.
 */
export const walletNew: CommandHandler = async (context) => {
  const { arguments: args, terminal } = context
  const output = args.text('output')
  const isPrinted = args.has('print') || output === '-'
  if (output !== undefined && output !== '-' && isPrinted)
    throw new UsageError('-o and --print cannot be combined: the secret goes to one place.')
  const wallet = createWallet(args.choice('chain', chains) ?? 'evm')
  const { kind: chain, address } = wallet.signer
  if (isPrinted) {
    note(terminal, `The wallet ${address}; its secret is not stored`)
    if (args.has('json'))
      await printJson(terminal, { address, chain, privateKey: wallet.privateKey })
    else await printLine(terminal, wallet.privateKey)
    return 0
  }
  const file = output ?? (await addToConfiguration(context, wallet))
  if (output !== undefined)
    await createSecretFile(output, `${wallet.privateKey}\n`, 'Use another name.')
  if (args.has('json')) await printJson(terminal, { address, chain, file })
  else
    await printLine(terminal, formatTable(toRows(address, chain, `${file} (only you can read it)`)))
  if (context.environment['FAREBOX_PRIVATE_KEY'] && output === undefined)
    note(terminal, 'FAREBOX_PRIVATE_KEY is set, and takes precedence.')
  return 0
}

/** Adds the wallet to the configuration, which is created if it does not exist. */
async function addToConfiguration(
  { arguments: args, environment }: Context,
  { privateKey }: NewWallet,
): Promise<string> {
  const path = findSettingsPath(environment, args.text('config'))
  const storedSettings = await readStoredSettings(path, false)
  if (storedSettings?.privateKey !== undefined) {
    throw new CommandError(
      'exists',
      `The configuration ${path} already has a wallet, which is not overwritten. Use -o FILE to write the new one to another file.`,
    )
  }
  if (storedSettings === undefined) await createSettings(path, { privateKey })
  else await replaceSettings(path, { ...storedSettings, privateKey })
  return path
}

/** Shows the wallet that commands use, without a prompt. Only `--secret` shows the private key. */
export const walletShow: CommandHandler = async (context) => {
  const { arguments: args, environment, terminal } = context
  const config = args.text('config')
  const { privateKey } = await readSettings(environment, config)
  const path = findSettingsPath(environment, config)
  if (privateKey === undefined)
    throw new UsageError(
      `There is no wallet, neither in FAREBOX_PRIVATE_KEY nor in ${path}. Create one with farebox wallet new.`,
    )
  const { kind: chain, address } = createSigner(privateKey)
  const storedSettings = await readStoredSettings(path, hasNamedFile(environment, config))
  const from =
    storedSettings?.privateKey === privateKey && !environment['FAREBOX_PRIVATE_KEY']
      ? path
      : 'FAREBOX_PRIVATE_KEY'
  const isSecret = args.has('secret')
  if (args.has('json'))
    await printJson(terminal, { address, chain, from, ...(isSecret && { privateKey }) })
  else await printLine(terminal, isSecret ? privateKey : formatTable(toRows(address, chain, from)))
  return 0
}

function toRows(address: string, chain: string, place: string): readonly (readonly string[])[] {
  return [
    ['address', address],
    ['chain', chain],
    ['secret in', place],
  ]
}

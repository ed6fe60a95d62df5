import { type Context, type Run, Refusal, UsageError } from '../command.js'
import { printJson, note, printLine, table } from '../io/terminal.js'
import { chains, createSigner, createWallet, type NewWallet } from '../settings/signer.js'
import { createSecretFile, createSettings, replaceSettings } from '../settings/write-settings.js'
import {
  hasNamedFile,
  readSettings,
  readStoredSettings,
  settingsPath,
} from '../settings/settings.js'

/**
 * Makes a wallet. Its secret goes into the configuration, into the file of `-o`, or with `--print`
 * to stdout. Nothing is written over.
 */
export const walletNew: Run = async (context) => {
  const { arguments: given, terminal } = context
  const output = given.text('output')
  const isPrinted = given.has('print') || output === '-'
  if (output !== undefined && output !== '-' && isPrinted)
    throw new UsageError('-o and --print are two places for one secret. Give one of them.')
  const made = createWallet(given.choice('chain', chains) ?? 'evm')
  const { kind: chain, address } = made.signer
  if (isPrinted) {
    note(terminal, `The wallet ${address}, whose secret is not kept`)
    if (given.has('json'))
      await printJson(terminal, { address, chain, privateKey: made.privateKey })
    else await printLine(terminal, made.privateKey)
    return 0
  }
  const file = output ?? (await keep(context, made))
  if (output !== undefined)
    await createSecretFile(output, `${made.privateKey}\n`, 'Give another name.')
  if (given.has('json')) await printJson(terminal, { address, chain, file })
  else await printLine(terminal, table(toRows(address, chain, `${file} (only you can read it)`)))
  if (context.environment['FAREBOX_PRIVATE_KEY'] && output === undefined)
    note(terminal, 'FAREBOX_PRIVATE_KEY is set, and goes before it.')
  return 0
}

/** Into the configuration, which is made if need be. */
async function keep(
  { arguments: given, environment }: Context,
  { privateKey }: NewWallet,
): Promise<string> {
  const path = settingsPath(environment, given.text('config'))
  const stored = await readStoredSettings(path, false)
  if (stored?.privateKey !== undefined) {
    throw new Refusal(
      'exists',
      `The configuration ${path} has a wallet already, and nothing is written over it. Give -o FILE for a file of its own.`,
    )
  }
  if (stored === undefined) await createSettings(path, { privateKey })
  else await replaceSettings(path, { ...stored, privateKey })
  return path
}

/** Shows the wallet that commands use, without a prompt. Only `--secret` shows the private key. */
export const walletShow: Run = async (context) => {
  const { arguments: given, environment, terminal } = context
  const config = given.text('config')
  const { privateKey } = await readSettings(environment, config)
  const path = settingsPath(environment, config)
  if (privateKey === undefined)
    throw new UsageError(
      `There is no wallet, neither in FAREBOX_PRIVATE_KEY nor in ${path}. farebox wallet new makes one.`,
    )
  const { kind: chain, address } = createSigner(privateKey)
  const stored = await readStoredSettings(path, hasNamedFile(environment, config))
  const from =
    stored?.privateKey === privateKey && !environment['FAREBOX_PRIVATE_KEY']
      ? path
      : 'FAREBOX_PRIVATE_KEY'
  const isSecret = given.has('secret')
  if (given.has('json'))
    await printJson(terminal, { address, chain, from, ...(isSecret && { privateKey }) })
  else await printLine(terminal, isSecret ? privateKey : table(toRows(address, chain, from)))
  return 0
}

function toRows(address: string, chain: string, place: string): readonly (readonly string[])[] {
  return [
    ['address', address],
    ['chain', chain],
    ['secret in', place],
  ]
}

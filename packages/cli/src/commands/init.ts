import { existsSync } from 'node:fs'
import type { Run } from '../command.js'
import { printJson } from '../io/json-output.js'
import { readChoices, type Choices } from './init-choices.js'
import { alreadyThere, createSettings } from '../settings/write-settings.js'
import { settingsPath } from '../settings/settings.js'
import { paint, printLine, table } from '../io/terminal.js'

/** Makes the configuration: the service, and a wallet or a key. It never writes over one. */
export const init: Run = async (context) => {
  const { arguments: given, environment, terminal } = context
  const path = settingsPath(environment, given.text('config'))
  // before a question is asked; the file itself is made by a step that cannot write over another
  if (existsSync(path)) throw alreadyThere(path)
  const choices = await readChoices(context)
  await createSettings(path, choices.settings)
  const next = nextSteps(choices, given.text('config'))
  const { settings, address } = choices
  const credential = settings.apiKey === undefined ? 'wallet' : 'key'
  if (given.has('json')) {
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
    `${table(facts)}\n\n${paint(terminal, 'bold', 'Next')}\n${next.map((line) => `  ${line}`).join('\n')}`,
  )
  return 0
}

/** A key has credit already. A wallet buys it. */
function nextSteps({ address }: Choices, config: string | undefined): readonly string[] {
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

import type { Command, Environment, Flag } from './command.js'
import { commonFlags } from './read-arguments.js'
import { settingsPath } from './settings.js'

/** The text of `farebox --help`. */
export function overview(commands: readonly Command[], environment: Environment): string {
  return `Usage: farebox COMMAND [options]

Calls a Farebox inference service from the command line.

Commands
${columns([...commands.map(({ name, summary }) => [name, summary] as const), ['help COMMAND', 'how a command is used, as farebox COMMAND --help']])}

Options of all commands
${flagLines([...commonFlags, { name: 'version', kind: 'switch', help: 'print the version' }])}

Credentials
  They come from the environment or from a file that only you can read, and
  never from the command line, which everybody on the machine can list.

  FAREBOX_API_KEY        an API key
  FAREBOX_PRIVATE_KEY    a wallet: 0x and 64 hex digits (EVM), or base58 (Solana)
  FAREBOX_BASE_URL       the service, for instance http://127.0.0.1:4020/api/v1
  FAREBOX_SERVICE_NAME   what the statement that a wallet signs calls it
  FAREBOX_CONFIG         the file to read in place of
                         ${settingsPath({ ...environment, FAREBOX_CONFIG: '' })}
  The file has the mode 0600: {"baseUrl": "...", "apiKey": "...", "privateKey": "..."}

Exit codes: 0 done, 1 refused or failed, 2 wrong usage or input, 70 a fault of
farebox itself, 130 given up with Ctrl-C. Results go to stdout, all else to stderr.`
}

/** The text of `farebox COMMAND --help`. */
export function manual(command: Command): string {
  const operands = command.operands.map(({ name, required }) => (required ? ` ${name}` : ` [${name}]`)).join('')
  const parts = [
    `Usage: farebox ${command.name}${operands} [options]`,
    sentence(command.summary),
    ...(command.details === undefined ? [] : [command.details]),
    ...(command.flags.length === 0 ? [] : [`Options\n${flagLines(command.flags)}`]),
    `Options of all commands\n${flagLines(commonFlags)}`,
    `Examples\n${command.examples.map((example) => `  ${example}`).join('\n')}`,
  ]
  return parts.join('\n\n')
}

function flagLines(flags: readonly Flag[]): string {
  return columns(
    flags.map(({ name, short, value, help }) => [
      `${short === undefined ? '    ' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`,
      help,
    ]),
  )
}

function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n')
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

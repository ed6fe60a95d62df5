import type { Command, Flag, Program } from '../command.js'
import { listCommands, families, listFlags, functionName, quote } from './words.js'

/**
 * For zsh with its own completion system: a file `_NAME` in `fpath`, or sourced after
 * `compinit`.
 */
export function zsh(program: Program): string {
  const name = functionName(program)
  return `#compdef ${program.name}
# zsh completion of ${program.name}. Save it as _${program.name} in a folder of $fpath, or source it.
${name}() {
${
  program.commands === undefined
    ? listCommands(program)
        .map((command) => `  ${toArguments(program, command)}`)
        .join('\n')
    : dispatch(program)
}
}
if [[ $funcstack[1] == ${name} ]]; then ${name} "$@"; else compdef ${name} ${program.name}; fi
`
}

function dispatch(program: Program): string {
  const commands = listCommands(program)
  const pairs = families(commands)
  const byFirst = new Map(
    commands.toReversed().map(({ name, summary }) => [name.split(' ')[0] ?? name, summary]),
  )
  const described = [...[...byFirst].toReversed(), ['help', 'how a command is used'] as const]
  const twoWords = commands.filter(({ name }) => name.includes(' ')).map(({ name }) => quote(name))
  const alone = [...pairs].filter(([first]) => !commands.some(({ name }) => name === first))
  const cases = [
    ...commands.map(
      (command) =>
        `    ${quote(command.name)}) ${toArguments(program, command, pairs.get(command.name))} ;;`,
    ),
    ...alone.map(
      ([first, seconds]) => `    ${first}) _values 'command' ${seconds.map(quote).join(' ')} ;;`,
    ),
  ]
  return `  local -a commands
  commands=(
${described.map(([name, summary]) => `    ${quote(`${name}:${summary}`)}`).join('\n')}
  )
  if ((CURRENT == 2)); then
    _describe 'command' commands
    return
  fi
  local command="$words[2]"
  local -i begin=2
  case "$words[2] $words[3]" in
    ${twoWords.join('|')}) if ((CURRENT > 3)); then command+=" $words[3]"; begin=3; fi ;;
    *) ;;
  esac
  words=("\${(@)words[begin,-1]}")
  ((CURRENT -= begin - 1))
  case "$command" in
    help) _describe 'command' commands ;;
${cases.join('\n')}
    *) ;;
  esac`
}

function toArguments(program: Program, command: Command, seconds: readonly string[] = []): string {
  if (command.passes === true) return '_files'
  const flags = listFlags(program, command).map(toSpec)
  const operands = command.operands.map(({ name, many, completes, choices }) =>
    quote(
      `${many === true ? '*' : ':'}:${name}:${completes === 'file' ? '_files' : toAction(choices)}`,
    ),
  )
  const more =
    seconds.length > 0 && operands.length === 0 ? [quote(`::command:(${seconds.join(' ')})`)] : []
  return `_arguments ${[...flags, ...operands, ...more].join(' ')}`
}

function toSpec({ name, short, kind, help, value = '', completes, choices, many }: Flag): string {
  const text = help.replaceAll(/[[\]\\:]/g, '\\$&')
  const files = { file: '_files', folder: '_files -/' } as const
  const action =
    kind === 'switch'
      ? ''
      : `:${value}:${completes === undefined ? toAction(choices) : files[completes]}`
  const star = many === true ? '*' : ''
  const long = quote(`${star}--${name}[${text}]${action}`)
  return short === undefined ? long : `${long} ${quote(`${star}-${short}[${text}]${action}`)}`
}

function toAction(choices: readonly string[] = []): string {
  const known = choices.map((choice) => choice.replaceAll(/[ :()]/g, '\\$&'))
  return known.length === 0 ? ' ' : `(${known.join(' ')})`
}

import type { Command, Flag, Program } from './command.js'

const help: Flag = { name: 'help', kind: 'switch', short: 'h', help: 'print this' }
const version: Flag = { name: 'version', kind: 'switch', help: 'print the version' }

/** The commands of a program. One without commands is a command whose name is empty. */
function listCommands(program: Program): readonly Command[] {
  return program.commands ?? [{ ...program, name: '', flags: [] }]
}

/** The flags of all commands. */
function listCommonFlags(program: Program): readonly Flag[] {
  return [
    ...program.flags,
    help,
    ...(program.commands === undefined && program.version !== undefined ? [version] : []),
  ]
}

/** The name of the shell function that completes a program. */
function formatFunctionName({ name }: Program): string {
  return `_${name.replaceAll('-', '_')}`
}

/** The first words of all commands, each once. */
function listFirstWords(commands: readonly Command[]): readonly string[] {
  return [...new Set(commands.map(({ name }) => name.split(' ')[0] ?? name)), 'help']
}

/** Commands of two words by their first one. */
function groupByFirstWord(commands: readonly Command[]): ReadonlyMap<string, readonly string[]> {
  const secondWords = new Map<string, string[]>()
  for (const { name } of commands) {
    const [first = '', second] = name.split(' ')
    if (second !== undefined) secondWords.set(first, [...(secondWords.get(first) ?? []), second])
  }
  return secondWords
}

function listFlags(program: Program, command: Command): readonly Flag[] {
  return command.passes === true ? [] : [...command.flags, ...listCommonFlags(program)]
}

/** `--output` and `-o`. */
function listSpellings({ name, short }: Flag): readonly string[] {
  return short === undefined ? [`--${name}`] : [`--${name}`, `-${short}`]
}

/** Quotes a string for a POSIX shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/**
 * For each shell, a script that completes commands, options and known values.
 */
export const shells: { readonly [Name in Shell]: (program: Program) => string } = {
  bash,
  zsh,
  fish,
}

export type Shell = 'bash' | 'zsh' | 'fish'

/** For bash 3.2 and later, without the bash-completion package. */
function bash(program: Program): string {
  const commands = listCommands(program)
  const isSingle = program.commands === undefined
  const cases = commands.map(
    (command) => `    ${quote(command.name)}) ${completeOperands(program, command)} ;;`,
  )
  const values = commands.flatMap((command) =>
    listFlags(program, command)
      .filter(hasValues)
      .map((flag) => completeValue(command, flag)),
  )
  const afterFirst = [...groupByFirstWord(commands)].map(
    ([first, seconds]) => `    ${first}) more=${quote(seconds.join(' '))} ;;`,
  )
  return `# bash completion of ${program.name}. Source it in ~/.bashrc.
${formatFunctionName(program)}() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local command="" more="" at word
  local -a words=()
  for ((at = 1; at < COMP_CWORD; at++)); do
    word="\${COMP_WORDS[at]}"
    [[ $word == -* ]] || words+=("$word")
  done
  COMPREPLY=()
${isSingle ? '' : completeCommandWords(commands)}  case "$command $previous" in
${[...new Set(values)].join('\n')}
    *) ;;
  esac
  if ((\${#words[@]} == 1)); then
    case "$command" in
${afterFirst.join('\n')}
    *) ;;
    esac
  fi
  case "$command" in
${cases.join('\n')}
    *) if [[ $current == -* ]]; then COMPREPLY=($(compgen -W ${quote('--help --version')} -- "$current")); fi ;;
  esac
  if [[ -n $more && $current != -* ]]; then COMPREPLY+=($(compgen -W "$more" -- "$current")); fi
}
complete -o filenames -F ${formatFunctionName(program)} ${program.name}
`
}

function completeCommandWords(commands: readonly Command[]): string {
  const twoWords = [...groupByFirstWord(commands)].map(
    ([first, seconds]) =>
      `    ${first}) case "\${words[1]-}" in ${seconds.join('|')}) command="${first} \${words[1]-}" ;; esac ;;`,
  )
  return `  command="\${words[0]-}"
  case "$command" in
${twoWords.join('\n')}
    *) ;;
  esac
  if ((\${#words[@]} == 0)) || [[ $command == help ]]; then
    if [[ $current != -* ]]; then
      COMPREPLY=($(compgen -W ${quote(listFirstWords(commands).join(' '))} -- "$current"))
      return
    fi
  fi
`
}

function completeOperands(program: Program, command: Command): string {
  const options = listFlags(program, command).flatMap((flag) => [`--${flag.name}`])
  const flags = `if [[ $current == -* ]]; then COMPREPLY=($(compgen -W ${quote(options.join(' '))} -- "$current"))`
  const [operand] = command.operands
  if (operand?.completes === 'file')
    return `${flags}; else COMPREPLY=($(compgen -f -- "$current")); fi`
  if (operand?.choices !== undefined)
    return `${flags}; else COMPREPLY=($(compgen -W ${quote(operand.choices.join(' '))} -- "$current")); fi`
  return `${flags}; fi`
}

function hasValues({ kind }: Flag): boolean {
  return kind === 'text'
}

/** A value with a space is left out: bash would split it into two. */
function completeValue({ name }: Command, flag: Flag): string {
  const patterns = listSpellings(flag)
    .map((spelling) => quote(`${name} ${spelling}`))
    .join('|')
  const choices = (flag.choices ?? []).filter((choice) => !choice.includes(' '))
  if (choices.length > 0)
    return `    ${patterns}) COMPREPLY=($(compgen -W ${quote(choices.join(' '))} -- "$current")); return ;;`
  if (flag.completes === 'file')
    return `    ${patterns}) COMPREPLY=($(compgen -f -- "$current")); return ;;`
  if (flag.completes === 'folder')
    return `    ${patterns}) COMPREPLY=($(compgen -d -- "$current")); return ;;`
  return `    ${patterns}) return ;;`
}

/**
 * For zsh with its own completion system: a file `_NAME` in `fpath`, or sourced after
 * `compinit`.
 */
function zsh(program: Program): string {
  const name = formatFunctionName(program)
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
  const pairs = groupByFirstWord(commands)
  const byFirst = new Map(
    commands.toReversed().map(({ name, summary }) => [name.split(' ')[0] ?? name, summary]),
  )
  const wordSummaries = [...[...byFirst].toReversed(), ['help', 'how a command is used'] as const]
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
${wordSummaries.map(([name, summary]) => `    ${quote(`${name}:${summary}`)}`).join('\n')}
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
  const escapedChoices = choices.map((choice) => choice.replaceAll(/[ :()]/g, '\\$&'))
  return escapedChoices.length === 0 ? ' ' : `(${escapedChoices.join(' ')})`
}

/** For fish: a file `NAME.fish` in `~/.config/fish/completions`, or sourced. */
function fish(program: Program): string {
  const commands = listCommands(program)
  const complete = `complete -c ${program.name}`
  const pairs = groupByFirstWord(commands)
  const firsts = [...new Set(commands.map(({ name }) => name.split(' ')[0] ?? name))]
  const findSummary = (first: string) =>
    commands.find(({ name }) => name === first)?.summary ??
    commands.find(({ name }) => name.startsWith(`${first} `))?.summary ??
    ''
  const names =
    program.commands === undefined
      ? []
      : [
          ...firsts.map(
            (first) =>
              `${complete} -n __fish_use_subcommand -f -a ${quoteFish(first)} -d ${quoteFish(findSummary(first))}`,
          ),
          `${complete} -n __fish_use_subcommand -f -a help -d 'how a command is used'`,
          `${complete} -n '__fish_seen_subcommand_from help' -f -a ${quoteFish(firsts.join(' '))}`,
          ...[...pairs].map(
            ([first, seconds]) =>
              `${complete} -n ${quoteFish(`__fish_seen_subcommand_from ${first}; and not __fish_seen_subcommand_from ${seconds.join(' ')}`)} -f -a ${quoteFish(seconds.join(' '))}`,
          ),
        ]
  const lines = [
    ...names,
    ...listCommonFlags(program).map((flag) => `${complete} ${toFlag(flag)}`),
    ...commands.flatMap((command) => [
      ...(command.operands.some(({ completes }) => completes === 'file')
        ? []
        : [`${complete}${toCondition(command)} -f`]),
      ...command.operands.flatMap(({ choices }) =>
        choices === undefined
          ? []
          : [`${complete}${toCondition(command)} -f -a ${quoteFish(choices.join(' '))}`],
      ),
      ...command.flags.map((flag) => `${complete}${toCondition(command)} ${toFlag(flag)}`),
    ]),
  ]
  return `# fish completion of ${program.name}. Save it as ~/.config/fish/completions/${program.name}.fish, or source it.\n${lines.join('\n')}\n`
}

function toCondition({ name }: Command): string {
  if (name === '') return ''
  const [first, second] = name.split(' ')
  return ` -n ${quoteFish(`__fish_seen_subcommand_from ${first}${second === undefined ? '' : `; and __fish_seen_subcommand_from ${second}`}`)}`
}

function toFlag({ name, short, kind, help, completes, choices }: Flag): string {
  const value =
    kind === 'switch'
      ? ''
      : completes === undefined
        ? ` -x${choices === undefined ? '' : ` -a ${quoteFish(choices.map((choice) => choice.replaceAll(' ', '\\ ')).join(' '))}`}`
        : ' -rF'
  return `-l ${name}${short === undefined ? '' : ` -s ${short}`}${value} -d ${quoteFish(help)}`
}

/** Between single quotes, fish interprets only the backslash and the quote. */
function quoteFish(text: string): string {
  return `'${text.replaceAll(/[\\']/g, '\\$&')}'`
}

import type { Command, Flag, Program } from '../command.js'
import {
  listCommands,
  families,
  firstWords,
  listFlags,
  functionName,
  quote,
  spellings,
} from './words.js'

/** For bash 3.2 and later, without the bash-completion package. */
export function bash(program: Program): string {
  const commands = listCommands(program)
  const isSingle = program.commands === undefined
  const cases = commands.map(
    (command) => `    ${quote(command.name)}) ${answers(program, command)} ;;`,
  )
  const values = commands.flatMap((command) =>
    listFlags(program, command)
      .filter(hasValues)
      .map((flag) => valueCase(command, flag)),
  )
  const afterFirst = [...families(commands)].map(
    ([first, seconds]) => `    ${first}) more=${quote(seconds.join(' '))} ;;`,
  )
  return `# bash completion of ${program.name}. Source it in ~/.bashrc.
${functionName(program)}() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local command="" more="" at word
  local -a words=()
  for ((at = 1; at < COMP_CWORD; at++)); do
    word="\${COMP_WORDS[at]}"
    [[ $word == -* ]] || words+=("$word")
  done
  COMPREPLY=()
${isSingle ? '' : commandWords(commands)}  case "$command $previous" in
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
complete -o filenames -F ${functionName(program)} ${program.name}
`
}

function commandWords(commands: readonly Command[]): string {
  const twoWords = [...families(commands)].map(
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
      COMPREPLY=($(compgen -W ${quote(firstWords(commands).join(' '))} -- "$current"))
      return
    fi
  fi
`
}

function answers(program: Program, command: Command): string {
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
function valueCase({ name }: Command, flag: Flag): string {
  const patterns = spellings(flag)
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

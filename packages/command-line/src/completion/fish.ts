import type { Command, Flag, Program } from '../command.js'
import { listCommands, commonFlags, families } from './words.js'

/** For fish: a file `NAME.fish` in `~/.config/fish/completions`, or sourced. */
export function fish(program: Program): string {
  const commands = listCommands(program)
  const complete = `complete -c ${program.name}`
  const pairs = families(commands)
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
              `${complete} -n __fish_use_subcommand -f -a ${quote(first)} -d ${quote(findSummary(first))}`,
          ),
          `${complete} -n __fish_use_subcommand -f -a help -d 'how a command is used'`,
          `${complete} -n '__fish_seen_subcommand_from help' -f -a ${quote(firsts.join(' '))}`,
          ...[...pairs].map(
            ([first, seconds]) =>
              `${complete} -n ${quote(`__fish_seen_subcommand_from ${first}; and not __fish_seen_subcommand_from ${seconds.join(' ')}`)} -f -a ${quote(seconds.join(' '))}`,
          ),
        ]
  const lines = [
    ...names,
    ...commonFlags(program).map((flag) => `${complete} ${toFlag(flag)}`),
    ...commands.flatMap((command) => [
      ...(command.operands.some(({ completes }) => completes === 'file')
        ? []
        : [`${complete}${toCondition(command)} -f`]),
      ...command.operands.flatMap(({ choices }) =>
        choices === undefined
          ? []
          : [`${complete}${toCondition(command)} -f -a ${quote(choices.join(' '))}`],
      ),
      ...command.flags.map((flag) => `${complete}${toCondition(command)} ${toFlag(flag)}`),
    ]),
  ]
  return `# fish completion of ${program.name}. Save it as ~/.config/fish/completions/${program.name}.fish, or source it.\n${lines.join('\n')}\n`
}

function toCondition({ name }: Command): string {
  if (name === '') return ''
  const [first, second] = name.split(' ')
  return ` -n ${quote(`__fish_seen_subcommand_from ${first}${second === undefined ? '' : `; and __fish_seen_subcommand_from ${second}`}`)}`
}

function toFlag({ name, short, kind, help, completes, choices }: Flag): string {
  const value =
    kind === 'switch'
      ? ''
      : completes === undefined
        ? ` -x${choices === undefined ? '' : ` -a ${quote(choices.map((choice) => choice.replaceAll(' ', '\\ ')).join(' '))}`}`
        : ' -rF'
  return `-l ${name}${short === undefined ? '' : ` -s ${short}`}${value} -d ${quote(help)}`
}

/** Between single quotes, fish interprets only the backslash and the quote. */
function quote(text: string): string {
  return `'${text.replaceAll(/[\\']/g, '\\$&')}'`
}

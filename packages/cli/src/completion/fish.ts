import type { Command, Flag } from '../command.js'
import { commonFlags } from '../read-arguments.js'
import { families } from './words.js'

/** For fish: a file `farebox.fish` in `~/.config/fish/completions`, or sourced. */
export function fish(commands: readonly Command[]): string {
  const pairs = families(commands)
  const firsts = [...new Set(commands.map(({ name }) => name.split(' ')[0] ?? name))]
  const summaryOf = (first: string) =>
    commands.find(({ name }) => name === first)?.summary ?? commands.find(({ name }) => name.startsWith(`${first} `))?.summary ?? ''
  const lines = [
    ...firsts.map((first) => `complete -c farebox -n __fish_use_subcommand -f -a ${quoted(first)} -d ${quoted(summaryOf(first))}`),
    `complete -c farebox -n __fish_use_subcommand -f -a help -d 'how a command is used'`,
    `complete -c farebox -n '__fish_seen_subcommand_from help' -f -a ${quoted(firsts.join(' '))}`,
    ...[...pairs].map(
      ([first, seconds]) =>
        `complete -c farebox -n ${quoted(`__fish_seen_subcommand_from ${first}; and not __fish_seen_subcommand_from ${seconds.join(' ')}`)} -f -a ${quoted(seconds.join(' '))}`,
    ),
    ...commonFlags.map((flag) => `complete -c farebox ${flagOf(flag)}`),
    ...commands.flatMap((command) => [
      ...(command.operands.some(({ completes }) => completes === 'file') ? [] : [`complete -c farebox -n ${conditionOf(command)} -f`]),
      ...command.operands.flatMap(({ choices }) =>
        choices === undefined ? [] : [`complete -c farebox -n ${conditionOf(command)} -f -a ${quoted(choices.join(' '))}`],
      ),
      ...command.flags.map((flag) => `complete -c farebox -n ${conditionOf(command)} ${flagOf(flag)}`),
    ]),
  ]
  return `# fish completion of farebox. Save it as ~/.config/fish/completions/farebox.fish, or: farebox completion fish | source\n${lines.join('\n')}\n`
}

function conditionOf({ name }: Command): string {
  const [first, second] = name.split(' ')
  return quoted(`__fish_seen_subcommand_from ${first}${second === undefined ? '' : `; and __fish_seen_subcommand_from ${second}`}`)
}

function flagOf({ name, short, kind, help, completes, choices }: Flag): string {
  const value =
    kind === 'switch'
      ? ''
      : completes === undefined
        ? ` -x${choices === undefined ? '' : ` -a ${quoted(choices.map((choice) => choice.replaceAll(' ', '\\ ')).join(' '))}`}`
        : ' -rF'
  return `-l ${name}${short === undefined ? '' : ` -s ${short}`}${value} -d ${quoted(help)}`
}

/** Between single quotes, fish interprets only the backslash and the quote. */
function quoted(text: string): string {
  return `'${text.replaceAll(/[\\']/g, '\\$&')}'`
}

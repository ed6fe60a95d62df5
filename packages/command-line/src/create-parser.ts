import { Command as Parser, Help, Option } from 'commander'
import {
  type Command,
  type Flag,
  type Note,
  type Operand,
  type Program,
  expected,
} from './command.js'

/** What the parser says and does. */
type ParserEvents<Member extends Command> = {
  readonly write: (text: string) => void
  /** Columns of the terminal. */
  readonly width: number
  /**
   * Called once, for the command that the arguments name. A program without commands has no member.
   */
  readonly found: (parser: Parser, member: Member | undefined) => void
}

/**
 * The parser of commander for a program. It throws `CommanderError`, and never ends the process.
 */
export function createParser<Member extends Command>(
  program: Program<string, Member>,
  events: ParserEvents<Member>,
): Parser {
  const root = new Parser(program.name)
  root
    .exitOverride()
    .configureOutput({
      writeOut: events.write,
      writeErr: events.write,
      outputError: () => undefined,
      getOutHelpWidth: () => events.width,
      getErrHelpWidth: () => events.width,
    })
    .configureHelp({
      showGlobalOptions: true,
      minWidthToWrap,
      subcommandTerm: formatTerm,
      subcommandDescription: formatMeaning,
      formatItem,
    })
  describe(root, program, program.flags)
  root.helpOption('-h, --help', 'print this')
  if (program.version !== undefined) root.version(program.version, '--version', 'print the version')
  if (program.commands === undefined) return root.action(() => events.found(root, undefined))
  for (const member of program.commands) {
    const path = member.name.split(' ')
    const parent = path.length === 1 ? root : findFamily(root, path[0] ?? '')
    const parser = parent.command(path.at(-1) ?? member.name)
    describe(parser, member, [...program.flags, ...member.flags])
    parser.helpCommand(false).action(() => events.found(parser, member))
  }
  return root
}

/** The least columns for a description beside its term. */
const minWidthToWrap = 20

/** Beside a long term, a narrow terminal has no room: the description then stands below it. */
function formatItem(term: string, termWidth: number, description: string, help: Help): string {
  const width = help.helpWidth ?? 80
  if (description === '' || width - termWidth - 4 >= minWidthToWrap)
    return Help.prototype.formatItem.call(help, term, termWidth, description, help)
  return `  ${term}\n${help.boxWrap(description, width - 6).replaceAll(/^/gm, '      ')}`
}

/** A command with its operands. Nearly all of them have options, which the list does not repeat. */
function formatTerm(parser: Parser): string {
  const operands = parser.registeredArguments.map(
    (operand) =>
      ` ${formatOperand({ name: operand.name(), required: operand.required, many: operand.variadic })}`,
  )
  return `${parser.name()}${operands.join('')}`
}

/** A list of commands has no room for more than this many that begin with the same word. */
const maxDescribed = 3

/** What a command does, and the commands of two words that begin with it. */
function formatMeaning(parser: Parser): string {
  const own = parser.summary() || parser.description()
  const children = parser.commands.map((child) =>
    parser.commands.length > maxDescribed ? child.name() : `${child.name()}: ${child.summary()}`,
  )
  const help =
    children.length > maxDescribed
      ? [`${parser.parent?.name()} ${parser.name()} --help describes them`]
      : []
  return [...(own === '' ? [] : [own]), children.join(help.length > 0 ? ', ' : '; '), ...help]
    .filter((part) => part !== '')
    .join('; ')
}

/** The parser above a command of two words. */
function findFamily(root: Parser, name: string): Parser {
  const family = root.commands.find((command) => command.name() === name)
  return family ?? root.command(name).helpCommand(false)
}

function describe(
  parser: Parser,
  { summary, details, operands, flags, examples, ...rest }: Program,
  allFlags: readonly Flag[],
): void {
  const sentence = `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`
  parser
    .summary(summary)
    .description(
      details === undefined ? sentence : `${sentence}\n\n${details.replaceAll('\n', ' ')}`,
    )
  for (const operand of operands) parser.argument(formatOperand(operand))
  for (const flag of flags) parser.addOption(createOption(flag, allFlags))
  const notes = examples.length === 0 ? [] : [{ title: 'Examples:', lines: examples }]
  parser.addHelpText('after', () => formatNotes([...(rest.notes ?? []), ...notes], parser))
}

/** `<FILE>`, `[FILE]` or `<FILE...>`. */
function formatOperand({ name, required, many = false }: Operand): string {
  const word = many ? `${name}...` : name
  return required ? `<${word}>` : `[${word}]`
}

function createOption(flag: Flag, allFlags: readonly Flag[]): Option {
  const { name, short, kind, value = 'VALUE', help, variable, fallback, group } = flag
  const notes = [
    ...(fallback === undefined ? [] : [`default: ${fallback}`]),
    ...(variable === undefined ? [] : [`env: ${variable}`]),
  ]
  const spelling = `${short === undefined ? '' : `-${short}, `}--${name}${kind === 'text' ? ` <${value}>` : ''}`
  const option = new Option(spelling, notes.length === 0 ? help : `${help} (${notes.join(', ')})`)
  if (group !== undefined) option.helpGroup(`${group}:`)
  // commander accepts any word as a value, even the next flag when a value is missing
  const flags = allFlags.flatMap((one) => [`--${one.name}`, `-${one.short}`])
  return kind === 'switch'
    ? option
    : option.argParser((text: string, before: readonly string[] | undefined) => {
        if (flags.includes(text)) throw expected(`--${name}`, text, `${value} before it`)
        return [...(before ?? []), text]
      })
}

/**
 * Sections after the options, in the layout of the rest of the help. Lines are commands of a shell.
 */
function formatNotes(
  notes: readonly (Note & { readonly lines?: readonly string[] })[],
  parser: Parser,
): string {
  const help = parser.createHelp()
  const width = parser.configureOutput().getOutHelpWidth?.() ?? 80
  help.prepareContext({ helpWidth: width })
  const sections = notes.map(({ title, text, rows = [], lines = [] }) => {
    const widest = Math.max(0, ...rows.map(([term]) => term.length))
    return [
      title,
      ...(text === undefined ? [] : [indent(help.boxWrap(text, width - 2))]),
      ...rows.map(([term, meaning]) => help.formatItem(term, widest, meaning, help)),
      ...lines.map((line) => indent(wrapCommand(line, width - 2))),
    ].join('\n')
  })
  return sections.map((section) => `\n${section}`).join('\n')
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '  ')
}

/**
 * A command of a shell in lines of a width, each but the last ending in a backslash, so that it
 * still runs when it is copied. Words and quoted texts stay whole, and may be wider.
 */
export function wrapCommand(command: string, width: number): string {
  if (command.length <= width) return command
  const words = command.match(/(?:"[^"]*"|'[^']*'|\S)+/g) ?? []
  const lines: string[] = []
  for (const word of words) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + word.length + 3 <= width)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(last === undefined ? word : `    ${word}`)
  }
  return lines.join(' \\\n')
}

import type { Command as Parser } from 'commander'
import type { Note } from './command.js'
import { wrapCommand } from './wrap-command.js'

/**
 * Sections after the options, in the layout of the rest of the help. Lines are commands of a shell.
 */
export function formatNotes(
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
      ...(text === undefined ? [] : [indented(help.boxWrap(text, width - 2))]),
      ...rows.map(([term, meaning]) => help.formatItem(term, widest, meaning, help)),
      ...lines.map((line) => indented(wrapCommand(line, width - 2))),
    ].join('\n')
  })
  return sections.map((section) => `\n${section}`).join('\n')
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, '  ')
}

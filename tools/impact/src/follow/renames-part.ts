import { markdownText, type PossibleRename } from '@farebox/spec-diff'
import { describeRename, typedAs } from '../renamed/possible-renames.js'

export type RenamesPart = {
  /** The unconfirmed ones, of names that the consumer's code has. */
  readonly open: readonly PossibleRename[]
  readonly all: readonly PossibleRename[]
  /** The command that made the pull request, without the confirmed renames. */
  readonly command: string
  /** What the command got as `--renamed`. */
  readonly given: readonly string[]
}

/** The renames to confirm, each with the command that confirms it beside those before. */
export function renamesPart({ open, all, command, given }: RenamesPart): string {
  if (open.length === 0) return ''
  const confirmed = given.map((each) => ` --renamed ${quotedForShell(each)}`).join('')
  const rows = open.map(
    (one) =>
      `- [ ] ${markdownText(describeRename(one))}: \`${command}${confirmed} --renamed ${typedAs(one, all)}\``,
  )
  const how =
    'Nothing is edited for these. If one is a rename, run its command where the newer document is not committed yet:'
  return ['## Possible renames', '', how, '', ...rows, ''].join('\n')
}

function quotedForShell(text: string): string {
  return /^[\w./@:=+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}

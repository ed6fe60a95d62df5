import { markdownText, type PossibleRename } from '@farebox/spec-diff'
import type { Impact } from '../find/find-impact.js'
import type { Fixes } from '../fix/find-fixes.js'
import { describeRename, chooseForm } from '../renamed/confirm-renames.js'
import { formatCount, formatMarkdownReport } from '../report/report.js'

type BodyOptions = {
  readonly impact: Impact
  readonly fixes: Fixes
  readonly renames: RenamesPart
  /** The output of the compiler after the fixes, if it reports errors. */
  readonly errors: string | undefined
  readonly compile: string
  /** The changes, as markdown. */
  readonly contract: string
  /** The commit before. */
  readonly before: string
}

/** The limit of a pull request on GitHub, less a margin. */
const longest = 64_000
const maxErrors = 100

/**
 * The body of the pull request: the touched lines, the edits, what no longer compiles, and the
 * changes. A part that does not fit is replaced by the command that prints it.
 */
export function formatBody({
  impact,
  fixes,
  renames,
  errors,
  compile,
  contract,
  before,
}: BodyOptions): string {
  const parts = [
    {
      text: formatMarkdownReport(impact),
      instead: `The touched lines have no room here. \`farebox-impact ${before}\` prints them on that commit.\n`,
    },
    {
      text: formatFixes(fixes),
      instead: 'The edits have no room here. The messages of the commits name them.\n',
    },
    {
      text: formatRenames(renames),
      instead: 'The possible renames have no room here. `farebox-impact --fix` lists them.\n',
    },
    {
      text: formatErrors(errors, compile),
      instead: `The code does not compile: run \`${compile}\`.\n`,
    },
    {
      text: contract,
      instead: `The changes have no room here. \`farebox-spec-diff ${before}\` prints them.\n`,
    },
  ]
  let room = longest
  return parts
    .map(({ text, instead }) => {
      const shown = text.length > room ? instead : text
      room -= shown.length + 1
      return shown
    })
    .join('\n')
}

function formatErrors(errors: string | undefined, compile: string): string {
  if (errors === undefined) return `The code compiles: \`${compile}\` has no complaint.\n`
  const lines = errors.split('\n')
  const more = lines.length > maxErrors ? [`and ${lines.length - maxErrors} more lines`] : []
  const shown = [...lines.slice(0, maxErrors).map((line) => line.slice(0, 300)), ...more]
  return ['## What no longer compiles', '', '````text', ...shown, '````', ''].join('\n')
}

function formatFixes({ edits, left }: Fixes): string {
  if (edits.length === 0 && left.length === 0) return ''
  const at = ({ file, line }: { readonly file: string; readonly line: number }) =>
    `\`${file}:${line}\``
  return [
    `## ${formatCount(edits.length, 'edit')}, ${formatCount(left.length, 'place')} left to you`,
    '',
    ...edits.map((edit) => `- ${at(edit)} ${markdownText(edit.reason)} \`${edit.change.id}\``),
    ...left.map(
      (touch) => `- [ ] ${at(touch)} ${markdownText(touch.change.sentence)} \`${touch.change.id}\``,
    ),
    '',
  ].join('\n')
}

type RenamesPart = {
  /** The unconfirmed ones, of names that the consumer's code has. */
  readonly open: readonly PossibleRename[]
  readonly all: readonly PossibleRename[]
  /** The command that made the pull request, without the confirmed renames. */
  readonly command: string
  /** The values of `--renamed`. */
  readonly given: readonly string[]
}

/** The renames to confirm, each with the command that confirms it beside those before. */
function formatRenames({ open, all, command, given }: RenamesPart): string {
  if (open.length === 0) return ''
  const confirmed = given.map((each) => ` --renamed ${quoteForShell(each)}`).join('')
  const rows = open.map(
    (one) =>
      `- [ ] ${markdownText(describeRename(one))}: \`${command}${confirmed} --renamed ${chooseForm(one, all)}\``,
  )
  const how =
    'Nothing is edited for these. If one is a rename, run its command where the newer document is not committed yet:'
  return ['## Possible renames', '', how, '', ...rows, ''].join('\n')
}

function quoteForShell(text: string): string {
  return /^[\w./@:=+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}

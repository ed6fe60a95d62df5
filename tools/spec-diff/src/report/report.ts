import type { Change } from '../change/change.js'
import { type Carrier, findCarrierVerdict } from '../changeset/owners.js'
import { joinVerdicts, packageKeys, strictest } from '../change/verdict.js'
import { formatAnnotations, markdownText } from './github.js'
import { formatSarifReport } from './sarif.js'
import { findReason } from '../change/catalogue.js'
import {
  countChanges,
  formatAdapter,
  formatCounts,
  formatRenames,
  formatWitness,
  type Group,
  groupChanges,
  shortenSentence,
} from './group.js'

export const formats = ['text', 'markdown', 'json', 'sarif', 'github'] as const
export type Format = (typeof formats)[number]

export type ReportOptions = {
  readonly format: Format
  readonly carriers: readonly Carrier[]
  /** Every change, however many there are. */
  readonly all: boolean
  /** The version of this tool. */
  readonly version: string
}

/** Prints the changes in a format. */
export function report(
  changes: readonly Change[],
  { format, carriers, all, version }: ReportOptions,
): string {
  if (format === 'text') return printText(changes, carriers, all)
  if (format === 'markdown') return printMarkdown(changes, carriers)
  if (format === 'sarif') return formatSarifReport(changes, version)
  if (format === 'github') return formatAnnotations(changes)
  return JSON.stringify(
    { changes, verdicts: joinVerdicts(changes.map(({ verdicts }) => verdicts)) },
    undefined,
    2,
  )
}

/** A longer list is summarized, so that it fits one screen. */
const maxChanges = 12
const maxGroups = 10
const maxLines = 10

/** Prints the changes by operation and schema, the most breaking first, then the bump of each package. */
function printText(changes: readonly Change[], carriers: readonly Carrier[], all: boolean): string {
  if (changes.length === 0) return 'Nothing changed.'
  const groups = groupChanges(changes)
  const body =
    all || changes.length <= maxChanges
      ? groups.map(printGroup).join('\n\n')
      : printSummary(groups, changes)
  const verdicts = changes.map((change) => change.verdicts)
  const width = Math.max(...carriers.map(({ name }) => name.length)) + 2
  const bumps = carriers
    .map((carrier) => `  ${carrier.name.padEnd(width)}${findCarrierVerdict(carrier, verdicts)}`)
    .join('\n')
  return `${body}\n\n${changes.length} ${changes.length === 1 ? 'change' : 'changes'}: ${formatCounts(countChanges(changes))}\n${bumps}`
}

function printGroup(group: Group): string {
  const used = group.operations.length === 0 ? '' : `\n  in ${group.operations.join(', ')}`
  return `${group.title}${used}\n${group.changes.map((change) => printEntry(group, change)).join('\n')}`
}

function printEntry(group: Group, change: Change): string {
  const asks = packageKeys
    .filter((key) => change.verdicts[key] !== 'none')
    .map((key) => `${key} ${change.verdicts[key]}`)
  const shown = [formatWitness(change), formatAdapter(change), formatRenames(change)].filter(
    (text) => text !== undefined,
  )
  const lines = [
    `  ${printLabel(change)}${shortenSentence(group, change)}.`,
    ...shown.map((text) => `${indent}${text}.`),
    `${indent}${findReason(change.code)} ${asks.join(', ') || 'No package'}.`,
    `${indent}${formatPlace(change)}  ${change.id}`,
  ]
  return lines.join('\n')
}

function printSummary(groups: readonly Group[], changes: readonly Change[]): string {
  const rows = groups
    .slice(0, maxGroups)
    .map(({ title, changes: of }) => `  ${title}: ${formatCounts(countChanges(of))}`)
  const more = groups.length > maxGroups ? [`  and ${groups.length - maxGroups} more`] : []
  const listed = groups.flatMap((group) => group.changes.map((change) => ({ group, change })))
  const gravest = listed.filter(({ change }) => strictest(change.verdicts) === 'major')
  const first = gravest
    .slice(0, maxLines)
    .map(({ group, change }) => `  ${group.title}: ${shortenSentence(group, change)}`)
  const rest = gravest.length > maxLines ? [`  and ${gravest.length - maxLines} more`] : []
  const breaking = gravest.length === 0 ? [] : ['Breaking', ...first, ...rest, '']
  return [
    ...breaking,
    'By operation and schema',
    ...rows,
    ...more,
    '',
    `--all lists each of the ${changes.length} changes.`,
  ].join('\n')
}

const indent = ' '.repeat(9)

function printLabel({ verdicts }: Change): string {
  return strictest(verdicts).padEnd(indent.length - 2)
}

function formatPlace({ place }: Change): string {
  return `${place.side === 'base' ? 'before, ' : ''}${place.file}:${place.line}:${place.column}`
}

/** The limit of a comment on GitHub, less some characters for text around the report. */
const longestComment = 60_000

/**
 * Prints the changes for a pull request: breaking ones first, the others in a folded section. A
 * report that is too long for GitHub ends with the number of omitted parts.
 */
function printMarkdown(changes: readonly Change[], carriers: readonly Carrier[]): string {
  if (changes.length === 0) return 'The contract has not changed.\n'
  const verdicts = changes.map((change) => change.verdicts)
  const rows = carriers.map(
    (carrier) => `| ${markdownText(carrier.name)} | ${findCarrierVerdict(carrier, verdicts)} |`,
  )
  const head = [
    `## The contract changed: ${formatCounts(countChanges(changes))}`,
    '',
    '| package | bump |',
    '| --- | --- |',
    ...rows,
    '',
  ].join('\n')
  const groups = groupChanges(changes)
  const breaking = groups.map((group) =>
    printSection(group, (change) => strictest(change.verdicts) === 'major'),
  )
  const others = groups.map((group) =>
    printSection(group, (change) => strictest(change.verdicts) !== 'major'),
  )
  const folded = others.some((text) => text !== '')
    ? [
        '<details><summary>Changes that break nobody</summary>\n',
        ...others.filter((text) => text !== ''),
        '</details>\n',
      ]
    : []
  return cutParts([head, ...breaking.filter((text) => text !== ''), ...folded])
}

function printSection(group: Group, wanted: (change: Change) => boolean): string {
  const chosen = group.changes.filter(wanted)
  if (chosen.length === 0) return ''
  const used =
    group.operations.length === 0 ? '' : ` (${group.operations.map(markdownText).join(', ')})`
  return `### ${markdownText(group.title)}${used}\n\n${chosen.map((change) => printItem(group, change)).join('\n')}\n`
}

function printItem(group: Group, change: Change): string {
  const shown = [formatWitness(change), formatAdapter(change), formatRenames(change)]
    .map((text) => (text === undefined ? '' : ` ${markdownText(text)}.`))
    .join('')
  const { file, line } = change.place
  return `- **${strictest(change.verdicts)}** ${markdownText(shortenSentence(group, change))}.${shown} \`${file}:${line}\` \`${change.id}\``
}

/** Omits the parts beyond the limit, and closes the folded section. */
function cutParts(parts: readonly string[]): string {
  const kept: string[] = []
  let length = 0
  for (const part of parts) {
    length += part.length + 1
    if (length > longestComment) {
      const isOpen = kept.some((one) => one.startsWith('<details>'))
      return `${[...kept, `The report is cut here: ${parts.length - kept.length} more parts.`, ...(isOpen ? ['</details>'] : [])].join('\n')}\n`
    }
    kept.push(part)
  }
  return kept.join('\n')
}

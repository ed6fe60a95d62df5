import { findReason } from '../change/catalogue.js'
import type { Change } from '../change/change.js'
import { carrierVerdict, type Carrier } from '../changeset/owners.js'
import { packageKeys, strictest } from '../change/verdict.js'
import {
  formatAdapter,
  formatCounts,
  countChanges,
  groupChanges,
  formatRenames,
  shortenSentence,
  formatWitness,
  type Group,
} from './group.js'

/** A longer list is summed up, so that it fits one screen. */
const most = 12
const mostGroups = 10
const mostLines = 10

/** The changes by operation and schema, the most breaking first, then the bump of each package. */
export function textReport(
  changes: readonly Change[],
  carriers: readonly Carrier[],
  all: boolean,
): string {
  if (changes.length === 0) return 'Nothing changed.'
  const groups = groupChanges(changes)
  const body =
    all || changes.length <= most ? groups.map(wholeGroup).join('\n\n') : summary(groups, changes)
  const verdicts = changes.map((change) => change.verdicts)
  const width = Math.max(...carriers.map(({ name }) => name.length)) + 2
  const bumps = carriers
    .map((carrier) => `  ${carrier.name.padEnd(width)}${carrierVerdict(carrier, verdicts)}`)
    .join('\n')
  return `${body}\n\n${changes.length} ${changes.length === 1 ? 'change' : 'changes'}: ${formatCounts(countChanges(changes))}\n${bumps}`
}

function wholeGroup(group: Group): string {
  const used = group.operations.length === 0 ? '' : `\n  in ${group.operations.join(', ')}`
  return `${group.title}${used}\n${group.changes.map((change) => entry(group, change)).join('\n')}`
}

function entry(group: Group, change: Change): string {
  const asks = packageKeys
    .filter((key) => change.verdicts[key] !== 'none')
    .map((key) => `${key} ${change.verdicts[key]}`)
  const shown = [formatWitness(change), formatAdapter(change), formatRenames(change)].filter(
    (text) => text !== undefined,
  )
  const lines = [
    `  ${label(change)}${shortenSentence(group, change)}.`,
    ...shown.map((text) => `${indent}${text}.`),
    `${indent}${findReason(change.code)} ${asks.join(', ') || 'No package'}.`,
    `${indent}${formatPlace(change)}  ${change.id}`,
  ]
  return lines.join('\n')
}

function summary(groups: readonly Group[], changes: readonly Change[]): string {
  const rows = groups
    .slice(0, mostGroups)
    .map(({ title, changes: of }) => `  ${title}: ${formatCounts(countChanges(of))}`)
  const more = groups.length > mostGroups ? [`  and ${groups.length - mostGroups} more`] : []
  const listed = groups.flatMap((group) => group.changes.map((change) => ({ group, change })))
  const gravest = listed.filter(({ change }) => strictest(change.verdicts) === 'major')
  const first = gravest
    .slice(0, mostLines)
    .map(({ group, change }) => `  ${group.title}: ${shortenSentence(group, change)}`)
  const rest = gravest.length > mostLines ? [`  and ${gravest.length - mostLines} more`] : []
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

function label({ verdicts }: Change): string {
  return strictest(verdicts).padEnd(indent.length - 2)
}

function formatPlace({ place }: Change): string {
  return `${place.side === 'base' ? 'before, ' : ''}${place.file}:${place.line}:${place.column}`
}

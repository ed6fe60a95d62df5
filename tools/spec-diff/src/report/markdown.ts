import type { Change } from '../change/change.js'
import { carrierVerdict, type Carrier } from '../changeset/owners.js'
import { strictest } from '../change/verdict.js'
import { markdownText } from './github.js'
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

/** The limit of a comment on GitHub, less some characters for text around the report. */
const longest = 60_000

/**
 * The text of a pull request: what breaks is open, the rest is folded. A report that is too long
 * for GitHub ends with the number of parts that it leaves out.
 */
export function markdownReport(changes: readonly Change[], carriers: readonly Carrier[]): string {
  if (changes.length === 0) return 'The contract has not changed.\n'
  const verdicts = changes.map((change) => change.verdicts)
  const rows = carriers.map(
    (carrier) => `| ${markdownText(carrier.name)} | ${carrierVerdict(carrier, verdicts)} |`,
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
    section(group, (change) => strictest(change.verdicts) === 'major'),
  )
  const others = groups.map((group) =>
    section(group, (change) => strictest(change.verdicts) !== 'major'),
  )
  const folded = others.some((text) => text !== '')
    ? [
        '<details><summary>Changes that break nobody</summary>\n',
        ...others.filter((text) => text !== ''),
        '</details>\n',
      ]
    : []
  return cut([head, ...breaking.filter((text) => text !== ''), ...folded])
}

function section(group: Group, wanted: (change: Change) => boolean): string {
  const chosen = group.changes.filter(wanted)
  if (chosen.length === 0) return ''
  const used =
    group.operations.length === 0 ? '' : ` (${group.operations.map(markdownText).join(', ')})`
  return `### ${markdownText(group.title)}${used}\n\n${chosen.map((change) => item(group, change)).join('\n')}\n`
}

function item(group: Group, change: Change): string {
  const shown = [formatWitness(change), formatAdapter(change), formatRenames(change)]
    .map((text) => (text === undefined ? '' : ` ${markdownText(text)}.`))
    .join('')
  const { file, line } = change.place
  return `- **${strictest(change.verdicts)}** ${markdownText(shortenSentence(group, change))}.${shown} \`${file}:${line}\` \`${change.id}\``
}

/** Leaves out whole parts, and closes open ones. */
function cut(parts: readonly string[]): string {
  const kept: string[] = []
  let length = 0
  for (const part of parts) {
    length += part.length + 1
    if (length > longest) {
      const isOpen = kept.some((one) => one.startsWith('<details>'))
      return `${[...kept, `The report is cut here: ${parts.length - kept.length} more parts.`, ...(isOpen ? ['</details>'] : [])].join('\n')}\n`
    }
    kept.push(part)
  }
  return kept.join('\n')
}

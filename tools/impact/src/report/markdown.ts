import { markdownText } from '@farebox/spec-diff'
import type { Impact, Touch } from '../find-impact.js'
import { counted, groupTouches, describeKind, summarize, listUntouched } from './summary.js'

/** The most places of one change that are listed. */
const mostPlaces = 50

/** For the text of a pull request. */
export function markdownReport(impact: Impact): string {
  const sections = groupTouches(impact).map(({ change, touches }) => {
    const more =
      touches.length > mostPlaces
        ? [`- and ${counted(touches.length - mostPlaces, 'more place')}`]
        : []
    return [
      `### ${markdownText(change.sentence)} (${touches.length})`,
      '',
      ...touches.slice(0, mostPlaces).map(item),
      ...more,
      '',
    ].join('\n')
  })
  const rest = listUntouched(impact)
  const folded =
    rest.length === 0
      ? []
      : [
          `<details><summary>${counted(rest.length, 'change')} without a place in this code</summary>\n`,
          ...rest.map(({ sentence }) => `- ${markdownText(sentence)}`),
          '\n</details>\n',
        ]
  return [`## ${summarize(impact)}`, '', ...sections, ...folded].join('\n')
}

function item(touch: Touch): string {
  return `- \`${touch.file}:${touch.line}\` ${describeKind(touch)}: ${codeSpan(touch.text.trim())}`
}

/** Code between more backticks than it has. */
function codeSpan(text: string): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length))
  const fence = '`'.repeat(longest + 1)
  return `${fence} ${text} ${fence}`
}

import type { Impact, Touch } from '../find-impact.js'
import { githubReport } from './github.js'
import { markdownReport } from './markdown.js'
import { sarifReport } from './sarif.js'
import { listUntouched } from './summary.js'
import { textReport } from './text.js'

export const formats = ['text', 'markdown', 'json', 'sarif', 'github'] as const
export type Format = (typeof formats)[number]

/** The impact in a format. `version` is that of this tool. */
export function report(impact: Impact, format: Format, version: string): string {
  if (format === 'text') return textReport(impact)
  if (format === 'markdown') return markdownReport(impact)
  if (format === 'sarif') return sarifReport(impact, version)
  if (format === 'github') return githubReport(impact)
  return JSON.stringify(
    {
      touches: impact.touches.map(toRow),
      untouched: listUntouched(impact).map(({ id }) => id),
      changes: impact.changes,
    },
    undefined,
    2,
  )
}

function toRow({ change, ...place }: Touch) {
  return { change: change.id, ...place }
}

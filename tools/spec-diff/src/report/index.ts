import type { Change } from '../change/change.js'
import type { Carrier } from '../changeset/owners.js'
import { joinVerdicts } from '../change/verdict.js'
import { annotations } from './github.js'
import { markdownReport } from './markdown.js'
import { sarifReport } from './sarif.js'
import { textReport } from './text.js'

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

/** The changes in a format. */
export function report(
  changes: readonly Change[],
  { format, carriers, all, version }: ReportOptions,
): string {
  if (format === 'text') return textReport(changes, carriers, all)
  if (format === 'markdown') return markdownReport(changes, carriers)
  if (format === 'sarif') return sarifReport(changes, version)
  if (format === 'github') return annotations(changes)
  return JSON.stringify(
    { changes, verdicts: joinVerdicts(changes.map(({ verdicts }) => verdicts)) },
    undefined,
    2,
  )
}

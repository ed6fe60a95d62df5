import type { Change } from '../change.js'
import { strictest, type Verdict } from '../verdict.js'
import { formatWitness } from './group.js'
import { sarifFile, sarifLog } from './sarif-log.js'

const levels: Readonly<Record<Verdict, 'error' | 'warning' | 'note'>> = {
  major: 'error',
  minor: 'warning',
  patch: 'note',
  none: 'note',
}

/** For code scanning. The id of a change is its fingerprint. */
export function sarifReport(changes: readonly Change[], version: string): string {
  return sarifLog(changes, {
    tool: 'spec-diff',
    version,
    print: result,
    codeOf: ({ code }) => code,
  })
}

function result(change: Change) {
  const { id, sentence, place, verdicts } = change
  const witness = formatWitness(change)
  return {
    level: levels[strictest(verdicts)],
    message: { text: `${sentence}.${witness === undefined ? '' : ` ${witness}.`}` },
    locations: [
      {
        physicalLocation: sarifFile(place.file, {
          startLine: place.line,
          startColumn: place.column,
        }),
        logicalLocations: [{ fullyQualifiedName: place.pointer }],
      },
    ],
    partialFingerprints: { 'contractChange/v1': id },
    properties: { verdicts, operations: change.operations },
  }
}

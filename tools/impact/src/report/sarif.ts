import { sarifFile, sarifLog } from '@farebox/spec-diff'
import type { Impact, Touch } from '../find-impact.js'
import { describeKind } from './summary.js'

/** For code scanning. */
export function sarifReport({ touches }: Impact, version: string): string {
  return sarifLog(touches, {
    tool: 'impact',
    version,
    print: result,
    codeOf: ({ change }) => change.code,
  })
}

function result(touch: Touch) {
  const { change, file, line, column, endColumn, text, compiler } = touch
  return {
    level: compiler ? 'error' : 'warning',
    message: { text: `${change.sentence}. ${describeKind(touch)}` },
    locations: [
      {
        physicalLocation: sarifFile(file, {
          startLine: line,
          startColumn: column,
          endColumn,
          snippet: { text },
        }),
      },
    ],
    // the line's text keeps a result the same when lines above it change
    partialFingerprints: { 'contractImpact/v1': `${change.id} ${text.trim()}` },
  }
}

import { whyOf, type Code } from '@farebox/spec-diff'
import type { Impact, Touch } from '../find-impact.js'
import { kindOf } from './summary.js'

/** A log of SARIF 2.1.0 (OASIS), for code scanning. */
export function sarifReport({ touches }: Impact, version: string): string {
  const codes = [...new Set(touches.map(({ change }) => change.code))].toSorted()
  const driver = {
    name: 'farebox-impact',
    version,
    informationUri: 'https://github.com/farebox/farebox/tree/main/tools/impact',
    rules: codes.map((code) => ({ id: code, shortDescription: { text: whyOf(code) } })),
  }
  const run = { tool: { driver }, columnKind: 'utf16CodeUnits', results: touches.map((touch) => result(touch, codes)) }
  const schema = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json'
  return JSON.stringify({ $schema: schema, version: '2.1.0', runs: [run] }, undefined, 2)
}

function result(touch: Touch, codes: readonly Code[]) {
  const { change, file, line, column, endColumn, text, compiler } = touch
  return {
    ruleId: change.code,
    ruleIndex: codes.indexOf(change.code),
    level: compiler ? 'error' : 'warning',
    message: { text: `${change.sentence}. ${kindOf(touch)}` },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: file.split('/').map(encodeURIComponent).join('/') },
          region: { startLine: line, startColumn: column, endColumn, snippet: { text } },
        },
      },
    ],
    // the line's text keeps a result the same when lines above it change
    partialFingerprints: { 'contractImpact/v1': `${change.id} ${text.trim()}` },
  }
}

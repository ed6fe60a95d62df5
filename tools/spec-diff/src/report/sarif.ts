import { catalogue, whyOf, type Code } from '../catalogue.js'
import type { Change } from '../change.js'
import { strictest, type Verdict } from '../verdict.js'
import { witnessIn } from './group.js'

const levels: Readonly<Record<Verdict, 'error' | 'warning' | 'note'>> = { major: 'error', minor: 'warning', patch: 'note', none: 'note' }

/** A log of SARIF 2.1.0 (OASIS), for code scanning. The id of a change is its fingerprint. */
export function sarifReport(changes: readonly Change[], version: string): string {
  const codes = [...new Set(changes.map(({ code }) => code))].toSorted()
  const driver = {
    name: 'farebox-spec-diff',
    version,
    informationUri: 'https://github.com/farebox/farebox/tree/main/tools/spec-diff',
    rules: codes.map((code) => ({ id: code, shortDescription: { text: whyOf(code) }, properties: { rule: catalogue[code].rule } })),
  }
  const run = { tool: { driver }, columnKind: 'utf16CodeUnits', results: changes.map((change) => result(change, codes)) }
  const schema = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json'
  return JSON.stringify({ $schema: schema, version: '2.1.0', runs: [run] }, undefined, 2)
}

function result(change: Change, codes: readonly Code[]) {
  const { id, code, sentence, place, verdicts } = change
  const witness = witnessIn(change)
  return {
    ruleId: code,
    ruleIndex: codes.indexOf(code),
    level: levels[strictest(verdicts)],
    message: { text: `${sentence}.${witness === undefined ? '' : ` ${witness}.`}` },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: place.file.split('/').map(encodeURIComponent).join('/') },
          region: { startLine: place.line, startColumn: place.column },
        },
        logicalLocations: [{ fullyQualifiedName: place.pointer }],
      },
    ],
    partialFingerprints: { 'contractChange/v1': id },
    properties: { verdicts, operations: change.operations },
  }
}

import { catalogue, findReason, type Code } from '../change/catalogue.js'
import type { Change } from '../change/change.js'
import { strictest, type Verdict } from '../change/verdict.js'
import { formatWitness } from './group.js'

const levels: Readonly<Record<Verdict, 'error' | 'warning' | 'note'>> = {
  major: 'error',
  minor: 'warning',
  patch: 'note',
  none: 'note',
}

/** For code scanning. The id of a change is its fingerprint. */
export function formatSarifReport(changes: readonly Change[], version: string): string {
  return sarifLog(changes, {
    tool: 'spec-diff',
    version,
    print: toSarifResult,
    readCode: ({ code }) => code,
  })
}

function toSarifResult(change: Change) {
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

export type SarifOptions<Result> = {
  /** The name of the tool, which is that of its folder too. */
  readonly tool: 'spec-diff' | 'impact'
  readonly version: string
  /** Prints one result, without its rule. */
  readonly print: (result: Result) => object
  readonly readCode: (result: Result) => Code
}

/** A log of SARIF 2.1.0 (OASIS), for code scanning, with a rule for each kind of change. */
export function sarifLog<Result>(
  results: readonly Result[],
  { tool, version, print, readCode }: SarifOptions<Result>,
): string {
  const codes = [...new Set(results.map(readCode))].toSorted()
  const driver = {
    name: `farebox-${tool}`,
    version,
    informationUri: `https://github.com/farebox/farebox/tree/main/tools/${tool}`,
    rules: codes.map((code) => ({
      id: code,
      shortDescription: { text: findReason(code) },
      properties: { rule: catalogue[code].rule },
    })),
  }
  const printed = results.map((result) => ({
    ruleId: readCode(result),
    ruleIndex: codes.indexOf(readCode(result)),
    ...print(result),
  }))
  const schema =
    'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json'
  const runs = [{ tool: { driver }, columnKind: 'utf16CodeUnits', results: printed }]
  return JSON.stringify({ $schema: schema, version: '2.1.0', runs }, undefined, 2)
}

/** The place of a result. */
export function sarifFile(file: string, region: object) {
  return { artifactLocation: { uri: file.split('/').map(encodeURIComponent).join('/') }, region }
}

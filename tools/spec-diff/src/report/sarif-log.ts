import { catalogue, findReason, type Code } from '../catalogue.js'

export type SarifOptions<Result> = {
  /** The name of the tool, which is that of its folder too. */
  readonly tool: 'spec-diff' | 'impact'
  readonly version: string
  /** Prints one result, without its rule. */
  readonly print: (result: Result) => object
  readonly codeOf: (result: Result) => Code
}

/** A log of SARIF 2.1.0 (OASIS), for code scanning, with a rule for each kind of change. */
export function sarifLog<Result>(
  results: readonly Result[],
  { tool, version, print, codeOf }: SarifOptions<Result>,
): string {
  const codes = [...new Set(results.map(codeOf))].toSorted()
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
    ruleId: codeOf(result),
    ruleIndex: codes.indexOf(codeOf(result)),
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

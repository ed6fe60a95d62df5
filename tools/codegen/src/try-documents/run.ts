// node tools/codegen/dist/try-documents/run.js [FOLDER | FILE | NAME@VERSION] …
// Generates types, validators and a client from every document of folders, files and packages of
// npm, compiles them, and prints how many of them were generated whole, in part or not at all.
// Without arguments: of a list of packages.
import { existsSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compile } from './compile.js'
import { fetchPackage, packages } from './fetch-package.js'
import { findDocuments, tryDocument, type Outcome } from './try-document.js'

const home = fileURLToPath(new URL('../..', import.meta.url))
const cache = join(home, 'node_modules/.cache/documents')
/** Inside the package, so that the generated code finds zod; ignored by git. */
const work = join(home, '.tmp/try-documents')
/** The compiler holds so many outputs at a time. */
const batch = 25

const names = process.argv.slice(2)
await rm(work, { recursive: true, force: true })
await mkdir(work, { recursive: true })
const folders = await Promise.all(
  (names.length === 0 ? packages : names).map(async (name) =>
    existsSync(name) ? resolve(name) : fetchPackage(name, cache),
  ),
)
const documents = [...new Set((await Promise.all(folders.map(findDocuments))).flat())]

const outcomes: Outcome[] = []
let compiled = 0
for (let start = 0; start < documents.length; start += batch) {
  const generatedIndexes: number[] = []
  for (const [index, document] of documents.slice(start, start + batch).entries()) {
    const outcome = await tryDocument(
      document,
      home,
      relative(home, join(work, String(start + index))),
    )
    outcomes.push(outcome)
    if (outcome.verdict !== 'whole') printOutcome(document, outcome.verdict, outcome.notes)
    if (outcome.verdict === 'whole' || outcome.verdict === 'in part')
      generatedIndexes.push(start + index)
  }
  const errors =
    generatedIndexes.length === 0
      ? new Map<string, readonly string[]>()
      : await compile(work, generatedIndexes.map(String))
  for (const [name, lines] of errors)
    printOutcome(documents[Number(name)] ?? name, 'does not compile', lines.slice(0, 3))
  compiled += generatedIndexes.filter((index) => !errors.has(String(index))).length
}
await rm(work, { recursive: true, force: true })

const count = (verdict: Outcome['verdict']): number =>
  outcomes.filter((outcome) => outcome.verdict === verdict).length
const generated = count('whole') + count('in part')
print(
  `${documents.length} documents: ${generated} generated, of these ${count('in part')} in part; ${count('rejected')} rejected; ${count('failed')} failed. ${compiled} of ${generated} outputs compile.`,
)
process.exitCode = count('failed') === 0 && compiled === generated ? 0 : 1

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

function printOutcome(document: string, what: string, lines: readonly string[]): void {
  print(`${what}: ${relative(process.cwd(), document)}`)
  for (const line of lines) print(`    ${line}`)
}

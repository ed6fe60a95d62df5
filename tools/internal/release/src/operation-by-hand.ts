import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** What the new operation costs, in USD. Its model costs half of it. */
export const priceUsd = 0.02

/** A new text, or an edit of the text that is there. */
type Edit = string | ((text: string) => string)

/**
 * What a person writes after a command of "Add an operation", by the place of the command: the
 * description and the price, the handler, and the lists that are kept on purpose.
 */
export function listHandEdits(command: number): readonly (readonly [path: string, edit: Edit])[] {
  return [written, [], served][command] ?? []
}

/** Applies one of them. Throws where an edit changes nothing, because its place is gone. */
export function writeByHand(folder: string, path: string, edit: Edit): void {
  const file = join(folder, path)
  mkdirSync(dirname(file), { recursive: true })
  const before = typeof edit === 'string' ? undefined : readFileSync(file, 'utf8')
  const after = typeof edit === 'string' ? edit : edit(before ?? '')
  if (after === before) throw new Error(`${path} has no place for the operation any more.`)
  writeFileSync(file, after)
}

/** Steps 1 to 4, after the first version was made of `parseText`. */
const written: readonly (readonly [string, Edit])[] = [
  [
    'spec/paths/augment-tables.yaml',
    (text) =>
      text
        .replace('Extracts the text of', 'Extracts the tables of')
        .replace('extracts the text again', 'extracts them again')
        .replace('costs 0.01 USD', `costs ${priceUsd} USD`)
        .replace('x-price-usd: 0.01', `x-price-usd: ${priceUsd}`)
        .replace('The text. With', 'The tables. With'),
  ],
  [
    'spec/schemas/ExtractTablesResult.yaml',
    (text) => text.replace('The extracted text.', 'The tables, a row in each line.'),
  ],
]

/** Steps 5 and 6, after the packages were generated. */
const served: readonly (readonly [string, Edit])[] = [
  [
    'packages/service/src/handlers/extract-tables.ts',
    (text) =>
      text.replace(
        'The text of a document.',
        'The tables of a document, which the text parser writes row by row.',
      ),
  ],
  [
    'packages/client/src/create-client.test.ts',
    (text) =>
      text.replace(
        /^ {2}parseText: \[.*?^ {2}\],\n/ms,
        (entry) =>
          `${entry}${entry.replaceAll('parseText', 'extractTables').replace('/augment/text-parser', '/augment/tables')}`,
      ),
  ],
  [
    'packages/cli/src/commands/mcp-tools.test.ts',
    (text) => text.replaceAll(/^( +)'createVoice',\n/gm, "$&$1'extractTables',\n"),
  ],
]

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** What the new operation answers. */
export const status = { status: 'open' } as const

/** A new text, or an edit of the text that is there. */
type Edit = string | ((text: string) => string)

/**
 * What a person writes after a command of "Add an operation", by the place of the command: the
 * response, the samples, the handler and the two lists that are kept on purpose.
 */
export function byHand(command: number): readonly (readonly [path: string, edit: Edit])[] {
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

const samples = 'packages/docs/samples/api/get-status'

/** Steps 1 to 4, after the first version was made. */
const written: readonly (readonly [string, Edit])[] = [
  ['spec/paths/status.yaml', (text) => text.replace('    Get status.\n', '    Says whether the service takes requests.\n')],
  ['spec/schemas/GetStatusResult.yaml', (text) => text.replace('How the request ended.', 'Whether the service takes requests.')],
  ['spec/examples/getStatus/example.yaml', 'summary: A service that takes requests\nvalue:\n  status: open\n'],
  [`${samples}/curl.sh`, 'curl -sS "$FAREBOX_BASE_URL/status" -H "Authorization: Bearer $FAREBOX_API_KEY"\n'],
  [
    `${samples}/sdk.ts`,
    `import { createFarebox } from 'farebox'

const farebox = createFarebox() // FAREBOX_BASE_URL and FAREBOX_API_KEY
console.log((await farebox.getStatus()).status) // open
`,
  ],
]

/** Steps 5 and 6, after the packages were generated. */
const served: readonly (readonly [string, Edit])[] = [
  [
    'packages/service/src/handlers/get-status.ts',
    `import type { Handler } from '../contract/handler.js'

/** Whether the service takes requests: one that answers does. */
export const getStatus: Handler<'getStatus'> = async () => ({ status: 200, json: { status: 'open' } })
`,
  ],
  [
    'packages/client/src/create-client.test.ts',
    (text) => text.replace(/^( +)listModels: \[/m, "$1getStatus: [(client) => client.getStatus(), 'GET /status', { accept }],\n$&"),
  ],
  ['packages/cli/src/commands/mcp-tools.test.ts', (text) => text.replace(/^( +)'getRateLimits',\n/m, "$&$1'getStatus',\n")],
]

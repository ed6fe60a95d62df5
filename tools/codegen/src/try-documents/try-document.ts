import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** The outcome for a document. */
export type Outcome = {
  readonly document: string
  readonly verdict: 'whole' | 'in part' | 'refused' | 'failed'
  /** The output of the run, if the document was not generated completely. */
  readonly notes: readonly string[]
}

const command = fileURLToPath(new URL('../cli.js', import.meta.url))

/** A document that takes longer counts as a failure of the generator. */
const maxMilliseconds = 180_000

/** Runs the command in a separate process, so that no document affects the next. */
export async function tryDocument(document: string, cwd: string, out: string): Promise<Outcome> {
  const options = [
    '--spec',
    document,
    '--out',
    out,
    '--only',
    'types,zod,client',
    '--no-cache',
    '--quiet',
  ]
  const { code, text } = await promisify(execFile)(process.execPath, [command, ...options], {
    cwd,
    maxBuffer: 1e9,
    timeout: maxMilliseconds,
  }).then(
    ({ stderr }) => ({ code: 0, text: stderr }),
    (error: { readonly code?: unknown; readonly stderr?: string }) => ({
      code: error.code,
      text: error.stderr ?? '',
    }),
  )
  const loss = text
    .split('\n')
    .find((line) => line.endsWith('run with --strict to reject such a document.'))
  if (code === 0)
    return {
      document,
      verdict: loss === undefined ? 'whole' : 'in part',
      notes: loss === undefined ? [] : [loss],
    }
  const faults = text.split('\n').filter((line) => / error FB\d+: /.test(line))
  return {
    document,
    verdict: code === 1 ? 'refused' : 'failed',
    notes: code === 1 ? faults.slice(0, 3) : text.split('\n').slice(0, 3),
  }
}

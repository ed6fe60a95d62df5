import type { Context } from '../command.js'
import { openOutput } from '../io/output-file.js'
import { printJson } from '../io/json-output.js'
import { note, printLine } from '../io/terminal.js'

/** A secret that a service shows once, with what else it said. */
export type Shown = {
  readonly secret: string
  readonly summary: string
  readonly others: object
  readonly all: object
}

/**
 * Prints only the secret to stdout, so that a script can read it, or writes it into the file of
 * `--output`, which only the user can read. The file is opened before the secret is made.
 */
export async function showSecret(
  { arguments: given, terminal }: Context,
  make: () => Promise<Shown>,
): Promise<number> {
  const path = given.text('output')
  const output = path === undefined ? undefined : await openOutput(path, 0o600)
  try {
    const { secret, summary, others, all } = await make()
    if (output !== undefined) await output.write(encodeLine(secret))
    note(terminal, `${summary}${path === undefined ? ', shown this once' : `, in ${path}`}`)
    if (given.has('json'))
      await printJson(terminal, path === undefined ? all : { ...others, file: path })
    else if (path === undefined) await printLine(terminal, secret)
    return 0
  } finally {
    await output?.abandon()
  }
}

async function* encodeLine(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(`${text}\n`)
}

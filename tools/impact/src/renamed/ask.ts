import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import type { PossibleRename } from '@farebox/spec-diff'
import { excludes, describeRename } from './possible-renames.js'

/** Asks a person, and gives what they type. */
export type Ask = (question: string) => Promise<string>

type Streams = {
  readonly in: Readable & { readonly isTTY?: boolean }
  readonly err: Writable & { readonly isTTY?: boolean }
}

/** Asks at the terminal. Undefined without one. */
export function terminalAsk(
  streams: Streams = { in: process.stdin, err: process.stderr },
): Ask | undefined {
  if (streams.in.isTTY !== true || streams.err.isTTY !== true) return undefined
  return async (question) => {
    const lines = createInterface({ input: streams.in, output: streams.err })
    try {
      return await new Promise<string>((resolve) => {
        // the terminal sends Ctrl+C as a key, which must not count as a no
        lines.once('SIGINT', () => process.kill(process.pid, 'SIGINT'))
        lines.once('close', () => resolve(''))
        lines.question(question, resolve)
      })
    } finally {
      lines.close()
    }
  }
}

/** The renames that a person confirms. What contradicts a confirmed one is not asked. */
export async function confirmedAt(
  ask: Ask,
  renames: readonly PossibleRename[],
  chosen: readonly PossibleRename[],
): Promise<readonly PossibleRename[]> {
  const confirmed: PossibleRename[] = []
  for (const rename of renames) {
    if ([...chosen, ...confirmed].some((one) => excludes(one, rename))) continue
    const answer = await ask(
      `${describeRename(rename)}, with the same shape. Is it a rename? [y/N] `,
    )
    if (/^y(?:es)?$/i.test(answer.trim())) confirmed.push(rename)
  }
  return confirmed
}

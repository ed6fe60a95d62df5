import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { Refusal } from '../errors.js'
import type { Terminal } from '../terminal.js'

/** Questions to a person at a terminal, on stderr. Each rejects when the person gives up. */
export type Dialogue = {
  /** An empty answer is the default. */
  readonly ask: (question: string, fallback?: string) => Promise<string>
  /** Does not show the typed text. */
  readonly askSecret: (question: string) => Promise<string>
  readonly close: () => void
}

/** Whether there is a person to ask. */
export function canAsk({ in: input, err }: Pick<Terminal, 'in' | 'err'>): boolean {
  return input.isTTY === true && err.isTTY === true
}

/** One reader for all questions, so that no line gets lost between two of them. */
export function createDialogue(
  { in: input, err }: Pick<Terminal, 'in' | 'err'>,
  signal: AbortSignal,
): Dialogue {
  let isHidden = false
  // the line editor repeats each key that it reads
  const echo = new Writable({
    write: (part: Buffer, _encoding, done) => {
      if (!isHidden) err.write(part)
      done()
    },
  })
  const lines = createInterface({ input, output: echo, terminal: true, signal })
  const typed = lines[Symbol.asyncIterator]()
  const next = async (): Promise<string> => {
    const line = await typed.next()
    if (line.done === true) throw new Refusal('declined', 'Nothing was written.')
    return line.value.trim()
  }
  return {
    ask: async (question, fallback) => {
      lines.setPrompt(fallback === undefined ? `${question}: ` : `${question} [${fallback}]: `)
      lines.prompt()
      return (await next()) || (fallback ?? '')
    },
    askSecret: async (question) => {
      isHidden = true
      err.write(`${question} (it is not shown): `)
      try {
        return await next()
      } finally {
        isHidden = false
        err.write('\n')
      }
    },
    close: () => lines.close(),
  }
}

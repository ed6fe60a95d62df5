import type { generate } from '../pipeline/generate.js'

/** What the command touches beside the files: given, so that it can be run within a test. */
export type Io = {
  readonly out: (line: string) => void
  readonly error: (line: string) => void
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly now: () => number
  /** Ends --watch. */
  readonly signal: AbortSignal
  /** The place of the cache without a node_modules. */
  readonly temp: string
  /** What `--spec -` reads. */
  readonly stdin: AsyncIterable<Uint8Array>
  /** Asks a question of `init`. Only on a terminal. */
  readonly ask?: (question: string) => Promise<string>
  /** Loads the generator. A run that the cache answers does without it. */
  readonly load: () => Promise<typeof generate>
}

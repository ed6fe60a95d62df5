import type { generate } from '../pipeline/generate.js'

/** The environment of the command, except files. Passed in so that tests can run the command. */
export type Io = {
  readonly out: (line: string) => void
  readonly error: (line: string) => void
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly now: () => number
  /** Ends --watch. */
  readonly signal: AbortSignal
  /** The folder of the cache where there is no node_modules. */
  readonly temp: string
  /** What `--spec -` reads. */
  readonly stdin: AsyncIterable<Uint8Array>
  /** Asks a question of `init`. Only on a terminal. */
  readonly ask?: (question: string) => Promise<string>
  /** Loads the generator, which a run that hits the cache does not need. */
  readonly load: () => Promise<typeof generate>
}

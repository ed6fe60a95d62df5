import { plain, type Terminal } from './terminal.js'

/** One line about long work, on stderr. */
export type Progress = {
  /**
   * Shows the progress. A terminal overwrites the line. A log gets a new line for each stage.
   */
  readonly tell: (stage: string, detail?: string) => void
  /** Removes the line from the terminal. */
  readonly done: () => void
}

export function createProgress({ err, quiet }: Pick<Terminal, 'err' | 'quiet'>): Progress {
  let last: string | undefined
  if (quiet) return { tell: () => undefined, done: () => undefined }
  if (err.isTTY !== true) {
    return {
      tell: (stage) => {
        if (stage !== last) err.write(`${plain(stage)}\n`)
        last = stage
      },
      done: () => undefined,
    }
  }
  return {
    tell: (stage, detail) => {
      last = `${stage}${detail === undefined ? '' : ` ${detail}`}`
      err.write(`\r\u001b[2K${plain(last).slice(0, (err.columns ?? 80) - 1)}`)
    },
    done: () => {
      if (last !== undefined) err.write('\r\u001b[2K')
      last = undefined
    },
  }
}

/** A size for people: `12.3 MB`. */
export function sizeOf(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}

import { plain, type Terminal } from './terminal.js'

/** One line about long work, on stderr. */
export type Progress = {
  /**
   * Shows the progress. A terminal overwrites the line. A log gets a new line for each stage.
   */
  readonly report: (stage: string, detail?: string) => void
  /** Removes the line from the terminal. */
  readonly done: () => void
}

export function createProgress({ err, quiet }: Pick<Terminal, 'err' | 'quiet'>): Progress {
  let last: string | undefined
  if (quiet) return { report: () => undefined, done: () => undefined }
  if (err.isTTY !== true) {
    return {
      report: (stage) => {
        if (stage !== last) err.write(`${plain(stage)}\n`)
        last = stage
      },
      done: () => undefined,
    }
  }
  return {
    report: (stage, detail) => {
      last = `${stage}${detail === undefined ? '' : ` ${detail}`}`
      err.write(`\r\u001b[2K${plain(last).slice(0, (err.columns || 80) - 1)}`)
    },
    done: () => {
      if (last !== undefined) err.write('\r\u001b[2K')
      last = undefined
    },
  }
}

/** A size for people: `12.3 MB`. */
export function formatSize(bytes: number): string {
  if (bytes < 1000) return `${Math.round(bytes)} bytes`
  return bytes < 1_000_000
    ? `${(bytes / 1000).toFixed(1)} kB`
    : `${(bytes / 1_000_000).toFixed(1)} MB`
}

/**
 * Words for an amount and how fast it grows: `2.5 MB of 10.0 MB, 1.2 MB/s`. The rate is that of the
 * whole time, and is left out in the first half second, which says little.
 */
export function createRate(
  word: (amount: number) => string,
  now: () => number = () => performance.now(),
  unit = '',
) {
  const start = now()
  return (amount: number, total?: number): string => {
    const seconds = (now() - start) / 1000
    const of = total === undefined ? '' : ` of ${word(total)}`
    return `${word(amount)}${of}${unit}${seconds < 0.5 ? '' : `, ${word(amount / seconds)}${unit}/s`}`
  }
}

/** `3 of 40 files, 2.5 files/s`. */
export function createCountRate(unit: string): (amount: number, total?: number) => string {
  return createRate((amount) => String(Number(amount.toFixed(1))), undefined, ` ${unit}`)
}

/** Prints the steps of a longer run, with the time and the outcome of each. */
export type Narrator = {
  readonly print: (text: string) => void
  /**
   * Prints the title at once, then a mark, the seconds that the work took and its outcome. Returns
   * what the work resolves to, and rejects as it does.
   */
  readonly step: <T>(
    title: string,
    work: () => Promise<T>,
    outcome: (value: T) => string,
  ) => Promise<T>
}

type Output = { readonly write: (text: string) => unknown; readonly isTTY?: boolean }
type Paint = (style: 'green' | 'red' | 'dim', text: string) => string

/** On a terminal, the time of a step runs on. In a log, a step is one line. */
export function createNarrator(out: Output, paint: Paint): Narrator {
  const isLive = out.isTTY === true
  const print = (text: string) => void out.write(`${text}\n`)
  return {
    print,
    step: async (title, work, outcome) => {
      const start = performance.now()
      const show = (mark: string) =>
        out.write(`${isLive ? '\r' : ''}  ${mark} ${title.padEnd(46)} ${formatElapsed(start)}`)
      const ticker = isLive ? setInterval(() => show('·'), 100) : undefined
      const end = (mark: string) => {
        clearInterval(ticker)
        show(mark)
        print('')
      }
      try {
        const value = await work()
        end(paint('green', '✓'))
        for (const line of outcome(value).split('\n'))
          if (line !== '') print(paint('dim', `      ${line}`))
        return value
      } catch (error) {
        end(paint('red', '✗'))
        throw error
      }
    },
  }
}

const unwritable: Readonly<Record<string, string>> = {
  EACCES: 'cannot be written',
  ENOENT: 'cannot be made',
  ENOSPC: 'does not fit on the disk',
  EROFS: 'is on a disk that cannot be written',
}

/** The cause of a failure in words, and what to do about it where that is known. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code, path } = error as NodeJS.ErrnoException
  const why = unwritable[code ?? '']
  return why === undefined
    ? error.message
    : `${path ?? 'A file'} ${why}. Set TMPDIR to a folder that can be written, and try again.`
}

function formatElapsed(start: number): string {
  return `${((performance.now() - start) / 1000).toFixed(1)} s`.padStart(7)
}

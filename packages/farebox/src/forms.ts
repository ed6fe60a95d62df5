import type { FileInput } from '@farebox/client'
import type { ParsedText } from '@farebox/types'
import { checkCallOptions } from './check-options.js'
import { FareboxError } from './error.js'
import type { FareboxCallOptions } from './methods.js'

// Code that only forms need. `operations.ts` loads this file with `import()`, at the first call
// that sends one.

export * from '@farebox/client/operations/with-forms'

export type ParseAllOptions = Omit<FareboxCallOptions, 'idempotencyKey'> & {
  /** How many files are sent at a time. Default 4. */
  readonly concurrency?: number
  /** Called after each file. */
  readonly onProgress?: (progress: {
    readonly done: number
    readonly total: number
    readonly index: number
  }) => void
}

/**
 * Extracts the text of several files, and returns one result for each, in the order of the files. A
 * file that fails does not lose the others, which may have been charged. After an abort no further
 * file is sent.
 */
export async function parseAll(
  parse: (file: FileInput, options: FareboxCallOptions) => Promise<ParsedText>,
  files: Iterable<FileInput>,
  { concurrency = 4, onProgress, ...options }: ParseAllOptions = {},
): Promise<PromiseSettledResult<ParsedText>[]> {
  checkCallOptions(options)
  if (!(concurrency >= 1)) throw createInputError('concurrency must be at least 1')
  if (!(Symbol.iterator in (Object(files) as object)))
    throw createInputError('the files are not iterable')
  const results: PromiseSettledResult<ParsedText>[] = []
  // a Set, or the FileList of a page
  const all = [...files]
  const queue = all.entries()
  let done = 0
  const work = async () => {
    for (const [index, file] of queue) {
      const [result] = await Promise.allSettled([parse(file, options)])
      results[index] = result
      try {
        onProgress?.({ done: ++done, total: all.length, index })
      } catch {
        // a failing listener must not lose results that may have been charged
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, all.length) }, work))
  return results
}

function createInputError(why: string): FareboxError {
  return new FareboxError(`parseAll: ${why}. Nothing was sent.`, {
    code: 'invalid_input',
    attempts: 0,
  })
}

import { save } from '#file-system'
import { FareboxError } from './error.js'
import type { Media } from './media.js'

/** Adds `saveTo` to a response. */
export function mediaOf(response: Response): Media {
  return Object.assign(response, { saveTo: async (path: string) => save(response, path).catch((error: unknown) => refuse(path, error)) })
}

/** The service has done its work, and may have charged for it. */
function refuse(path: string, cause: unknown): never {
  if (cause instanceof FareboxError) throw cause
  const why = cause instanceof Error ? cause.message : 'the file cannot be written.'
  throw new FareboxError(`saveTo ${JSON.stringify(path)}: ${why}`, { code: 'not_saved', mayHaveArrived: true, cause })
}

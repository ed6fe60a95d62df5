import type { Api } from '../ir/api.js'
import type { Origin } from '../ir/schema.js'

/**
 * The line of a comment that says which file something comes from; nothing for the entry file,
 * which the banner names. The compiler parses each comment with this tag, so that one for
 * everything in a document of one piece would be a tenth of its time.
 */
export function originLine({ source }: Api, { file }: Origin): string | undefined {
  return file === source ? undefined : `@see ${file}`
}

import type { Api } from '../ir/api.js'
import type { Origin } from '../ir/schema.js'

/**
 * The line of a comment that names the source file. Undefined for the entry file, which the banner
 * names: TypeScript parses each comment with this tag, which would take a tenth of its time.
 */
export function originLine({ source }: Api, { file }: Origin): string | undefined {
  return file === source ? undefined : `@see ${file}`
}

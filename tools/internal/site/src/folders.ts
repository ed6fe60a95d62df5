import { fileURLToPath } from 'node:url'

/** The root of the repository. */
export const root = fileURLToPath(new URL('../../../../', import.meta.url))

/** The folder of the site. */
export const docs = fileURLToPath(new URL('../../../../packages/docs/', import.meta.url))

import { readFileSync } from 'node:fs'

const manifest = JSON.parse(
  readFileSync(new URL('../../farebox/package.json', import.meta.url), 'utf8'),
)

/** Where the source is, without a slash at the end. */
export const repository = manifest.repository.url.replace(/^git\+|\.git$/g, '')

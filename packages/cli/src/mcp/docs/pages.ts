import { readFileSync } from 'node:fs'

/** A page of the site, as `tools/internal/site` wrote it into this package. */
export type DocsPage = {
  /** Its place on the site, such as `guides/video`. */
  readonly path: string
  readonly title: string
  readonly description: string
  /** Words that readers search for and that the page does not use. */
  readonly words: string
  /** Markdown. */
  readonly text: string
}

export function readDocsPages(): readonly DocsPage[] {
  const file = new URL('../../../docs/pages.json', import.meta.url)
  return JSON.parse(readFileSync(file, 'utf8')) as readonly DocsPage[]
}

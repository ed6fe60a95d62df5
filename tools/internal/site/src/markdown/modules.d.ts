/** The DOM that turndown itself uses. Its own types are those of a package with another name. */
declare module '@mixmark-io/domino' {
  export function createDocument(html: string): Document
}

declare module '@joplin/turndown-plugin-gfm' {
  import type TurndownService from 'turndown'
  export function tables(service: TurndownService): void
}

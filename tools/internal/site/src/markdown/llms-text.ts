import { optional, type PageGroup } from './list-pages.js'

/** The list of pages for language models, in the form of llmstxt.org. */
export function llmsText(summary: string, groups: readonly PageGroup[], base: string): string {
  return [
    '# Farebox',
    `> ${summary}`,
    `Each page of this site is also Markdown: its address with \`.md\` in place of the last slash. All of them in one file: \`${base}llms-full.txt\`. Instructions for coding agents: \`${base}skill.md\`. The OpenAPI document: \`${base}openapi.json\`.`,
    ...groups.map(({ title, pages }) => `## ${title}\n\n${listItems(pages)}`),
    '',
  ].join('\n\n')
}

/** The text of all pages, one after the other, without those that a reader may skip. */
export function llmsFullText(
  groups: readonly PageGroup[],
  texts: ReadonlyMap<string, string>,
  base: string,
): string {
  const addresses = groups
    .filter(({ title }) => title !== optional)
    .flatMap(({ pages }) => pages.map(({ address }) => address))
  return [`${base}index.md`, ...addresses]
    .map((address) => `<!-- ${address} -->\n\n${texts.get(address) ?? ''}`)
    .join('\n')
}

/**
 * What a coding agent reads before it works with Farebox: the instructions, with the guides that
 * they end with.
 */
export function skillText(instructions: string, groups: readonly PageGroup[]): string {
  const guides = groups.filter(({ pages }) =>
    pages.some(({ address }) => address.includes('/guides/')),
  )
  const lists = guides.map(({ title, pages }) => `### ${title}\n\n${listItems(pages)}`)
  return [instructions.trimEnd(), ...lists, ''].join('\n\n')
}

function listItems(pages: PageGroup['pages']): string {
  return pages
    .map(({ title, address, description }) => `- [${title}](${address}): ${description}`)
    .join('\n')
}

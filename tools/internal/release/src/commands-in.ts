/**
 * The commands that a section of a page names within its sentences, in their order. Throws if
 * the page does not have the section.
 */
export function commandsIn(page: string, title: string): readonly string[] {
  const [, section] = new RegExp(`^## ${title}$(.*?)(?=^## |$(?![\\s\\S]))`, 'ms').exec(page) ?? []
  if (section === undefined) throw new Error(`There is no section "${title}".`)
  return [...section.matchAll(/`(npx [^`]+)`/g)].map(([, command = '']) =>
    command.replaceAll(/\s+/g, ' '),
  )
}

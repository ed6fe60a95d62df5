/**
 * The first and the last page of each template: pages of one folder share theirs, those of exports
 * have another, and each page beside them or below `reference/` has its own.
 */
export function twoOfEachTemplate(paths: readonly string[], base: string): readonly string[] {
  const byTemplate = new Map<string, string[]>()
  for (const path of paths) {
    const template = findTemplate(path.slice(base.length))
    byTemplate.set(template, [...(byTemplate.get(template) ?? []), path])
  }
  return [...byTemplate.values()].flatMap((pages) => [
    ...new Set([...pages.slice(0, 1), ...pages.slice(-1)]),
  ])
}

function findTemplate(path: string): string {
  const [folder = '', ...rest] = path.split('/').filter((part) => part !== '')
  if (rest.length === 0 || folder === 'reference') return path
  return `${folder}/${rest[0]?.endsWith('-exports') ? '*-exports' : '*'}${'/*'.repeat(rest.length - 1)}`
}

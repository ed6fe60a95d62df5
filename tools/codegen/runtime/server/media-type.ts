/** What a document declares for several media types, those that have more of the parameters first. */
export function rankByParameters<Content extends { readonly type: string }>(
  contents: readonly Content[],
  type: string,
): readonly Content[] {
  const parameters = new Set(listParameters(type))
  const count = (content: Content): number => {
    const own = listParameters(content.type)
    return own.every((one) => parameters.has(one)) ? own.length : -1
  }
  return contents
    .map((content) => ({ content, rank: count(content) }))
    .sort((a, b) => b.rank - a.rank)
    .map(({ content }) => content)
}

function listParameters(type: string): readonly string[] {
  return type
    .split(';')
    .slice(1)
    .map((one) => one.replaceAll(/[\s"]/g, '').toLowerCase())
    .filter((one) => one !== '')
}

/** A media type without its parameters, in small letters. */
export function stripParameters(type: string): string {
  return type.replace(/;.*/s, '').trim().toLowerCase()
}

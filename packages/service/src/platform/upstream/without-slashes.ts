/** A URL or a path without the slashes at its end. */
export function withoutSlashes(text: string): string {
  let end = text.length
  while (text[end - 1] === '/') end--
  return text.slice(0, end)
}

/** The path of a page's Markdown, which `tools/internal/site` writes beside it. */
export function markdownPath({ pathname }: URL): string {
  return pathname === import.meta.env.BASE_URL.replace(/\/?$/, '/')
    ? `${pathname}index.md`
    : pathname.replace(/\/$/, '.md')
}

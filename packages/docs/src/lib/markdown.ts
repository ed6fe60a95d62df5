import { createMarkdownProcessor } from '@astrojs/markdown-remark'

const processor = await createMarkdownProcessor({ syntaxHighlight: false })

/**
 * HTML of the contract's own prose. Its headings are moved two levels down, below those of the
 * page.
 */
export async function markdown(text: string): Promise<string> {
  const { code } = await processor.render(text.replace(/^(#+) /gm, '##$1 '))
  return code
}

/** The same for one line: without the paragraph around it. */
export async function inline(text: string): Promise<string> {
  return (await markdown(text.replaceAll('\n', ' '))).replace(/^<p>(.*)<\/p>$/s, '$1')
}

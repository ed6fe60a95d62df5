import { markdown, inline } from './markdown.js'

type Props = { readonly text: string }

/** The Markdown of the contract as paragraphs and lists. */
export function Prose({ text }: Props) {
  return <div dangerouslySetInnerHTML={{ __html: markdown(text) }} />
}

/** A description whose paragraphs run on, for an element of its own or beside other words. */
export function inlineHtml(text: string): { readonly __html: string } {
  return { __html: inline(text.trim().replaceAll(/\s*\n\s*/g, ' ')) }
}

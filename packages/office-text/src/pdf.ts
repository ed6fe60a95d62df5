import { getDocumentProxy } from 'unpdf'
import { characterBudget, type Limits } from './limits.js'
import { ExtractTextError } from './extract-text-error.js'

/**
 * The text of a PDF document, page by page, with blank lines between pages. A document that opens
 * without a password is read, and its permission bits are ignored. Throws `encrypted` for one that
 * needs a password, `corrupt` for one that cannot be read, and `no_text` for one whose pages are
 * pictures. Nothing is executed and nothing is fetched.
 */
export async function readPdf(bytes: Uint8Array, limits: Limits): Promise<string> {
  const characters = characterBudget(limits)
  try {
    // pdf.js detaches the buffer that it is given
    const document = await getDocumentProxy(bytes.slice(), {
      verbosity: 0,
      useSystemFonts: false,
      stopAtErrors: false,
    })
    try {
      const pages: string[] = []
      for (let number = 1; number <= document.numPages; number += 1) {
        const page = await document.getPage(number)
        const content = await page.getTextContent()
        let text = ''
        for (const item of content.items) {
          if (!('str' in item)) continue
          characters.spend(item.str.length + 1)
          text += item.hasEOL ? `${item.str}\n` : item.str
        }
        page.cleanup()
        if (text.trim() !== '') pages.push(text.trim())
      }
      if (pages.length === 0) {
        throw new ExtractTextError(
          'no_text',
          'The PDF document has no text in it: its pages are empty or pictures. Recognise the text first, then send it again.',
        )
      }
      return pages.join('\n\n')
    } finally {
      await document.destroy()
    }
  } catch (error) {
    throw explained(error)
  }
}

function explained(error: unknown): ExtractTextError {
  if (error instanceof ExtractTextError) return error
  const name = error instanceof Error ? error.name : ''
  if (name === 'PasswordException') {
    return new ExtractTextError(
      'encrypted',
      'The file is a PDF document protected by a password. Save it without one and send it again.',
    )
  }
  return new ExtractTextError(
    'corrupt',
    'The file begins as a PDF document but cannot be read as one: it is cut off or damaged.',
  )
}

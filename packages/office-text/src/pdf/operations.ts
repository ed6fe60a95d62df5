import { getResolvedPDFJS } from 'unpdf'
import type { Page } from './placed-text.js'

/**
 * The drawing operations of a page without its annotations. They state what pdf.js does not state of
 * the text, and are slow to read: for pages that need them.
 */
export async function readOperations(
  page: Page,
): Promise<Awaited<ReturnType<Page['getOperatorList']>>> {
  const { AnnotationMode } = await getResolvedPDFJS()
  return page.getOperatorList({ annotationMode: AnnotationMode.DISABLE })
}

/** Node 20 does not have this method, which pdf.js calls for the fonts of drawing operations. */
if (!('transferToFixedLength' in ArrayBuffer.prototype))
  // oxlint-disable-next-line no-extend-native
  Object.defineProperty(ArrayBuffer.prototype, 'transferToFixedLength', {
    value(this: ArrayBuffer, length: number) {
      return this.slice(0, length)
    },
    configurable: true,
    writable: true,
  })

const helvetica = '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>'

export function write(text: string, x: number, y: number): string {
  return `BT /F1 12 Tf ${x} ${y} Td (${text}) Tj ET\n`
}

export function createStream(dictionary: string, content: string): string {
  return `<<${dictionary}/Length ${content.length}>>stream\n${content}\nendstream`
}

export function createForm(content: string, more = ''): string {
  return createStream(
    `/Type/XObject/Subtype/Form/BBox[0 0 600 800]/Resources<</Font<</F1 5 0 R>>>>${more}`,
    content,
  )
}

/** A PDF document of one page, whose objects have the numbers 6 and so on. */
export function createPdf(
  content: string,
  {
    page = '',
    catalog = '',
    resources = '',
    font = helvetica,
    objects = [] as readonly string[],
  } = {},
): Uint8Array {
  const all = [
    `<</Type/Catalog/Pages 2 0 R${catalog}>>`,
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>${resources}>>${page}>>`,
    createStream('', content),
    font,
    ...objects,
  ].map((object, at) => `${at + 1} 0 obj\n${object}\nendobj`)
  return Buffer.from(['%PDF-1.4', ...all, 'trailer<</Root 1 0 R>>\n%%EOF'].join('\n'), 'latin1')
}

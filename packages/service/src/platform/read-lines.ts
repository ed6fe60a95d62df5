/** The lines of UTF-8 text, without their ends. The last one may lack its end. */
export async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let rest = ''
  for await (const chunk of chunks) {
    const pieces = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = pieces.pop() ?? ''
    yield* pieces
  }
  rest += decoder.decode()
  if (rest !== '') yield rest
}

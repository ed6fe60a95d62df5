/** The encoding in which a model counts tokens. */
export type Tokenizer = {
  readonly encode: (text: string) => readonly number[]
  readonly decode: (tokens: readonly number[]) => string
}

/** Tokens that are sent together: several where one holds a part of a character. */
export type TokenPiece = { readonly text: string; readonly tokens: number }

/**
 * A text token by token, up to a limit. Together the pieces are the text, or its beginning; a last
 * piece without text has tokens of a character that the limit cut.
 */
export function splitTokens(
  tokenizer: Tokenizer,
  content: string,
  limit: number,
): { readonly pieces: readonly TokenPiece[]; readonly isWhole: boolean } {
  // halves of characters have no encoding
  const text = Buffer.from(content).toString()
  const tokens = tokenizer.encode(text)
  const pieces: TokenPiece[] = []
  let at = 0
  let pending: number[] = []
  for (const token of tokens.slice(0, limit)) {
    pending.push(token)
    const piece = tokenizer.decode(pending)
    // an incomplete character is decoded to a replacement character
    if (piece === '' || !text.startsWith(piece, at)) continue
    pieces.push({ text: piece, tokens: pending.length })
    at += piece.length
    pending = []
  }
  if (pending.length > 0) pieces.push({ text: '', tokens: pending.length })
  return { pieces, isWhole: tokens.length <= limit }
}

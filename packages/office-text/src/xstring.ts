/** The characters of a string with escapes: `_x000D_` (ECMA-376 part 1, 22.9.2.19). */
export function unescapeXstring(text: string): string {
  return text.replaceAll(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) =>
    String.fromCharCode(parseInt(code, 16)),
  )
}

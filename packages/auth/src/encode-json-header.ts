/** A value as base64 of its JSON in UTF-8: the form of SIGN-IN-WITH-X and of every x402 header. */
export function encodeJsonHeader(value: unknown): string {
  return btoa(Array.from(new TextEncoder().encode(JSON.stringify(value)), (byte) => String.fromCharCode(byte)).join(''))
}

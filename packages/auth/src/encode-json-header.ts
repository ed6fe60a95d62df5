import { base64Of } from './base64-of.js'

/** Encodes a value as base64 of its JSON in UTF-8, as in SIGN-IN-WITH-X and the x402 headers. */
export function encodeJsonHeader(value: unknown): string {
  return base64Of(new TextEncoder().encode(JSON.stringify(value)))
}

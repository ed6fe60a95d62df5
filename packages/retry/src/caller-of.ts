/**
 * A name for who sends: the host of a URL, and 44 bits of a sum that tell credentials apart. It
 * does not show the credential, so it may stand in a store.
 */
export function callerOf(url: string, credential: string): string {
  let sum = 0
  // a prime below 2 ** 44 keeps the product exact
  for (const letter of credential) sum = (sum * 257 + letter.charCodeAt(0)) % 17_592_186_044_399
  return `${url.split('/')[2]} ${sum}`
}

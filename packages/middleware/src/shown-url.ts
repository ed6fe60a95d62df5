/** A URL without its user and its query, which may hold secrets. */
export function shownUrl(url: string): string {
  return url.replace(/[?#].*|(?<=\/\/)[^/]*@/gs, '')
}

/** One page of a list that is read by offset. */
export type Page<Item> = { readonly items: readonly Item[]; readonly hasMore: boolean }

/**
 * Iterates over a list that grows at its front while it is read. An entry that a new one pushed
 * onto the next page is returned once. Ends at the last page, at an empty page, when the reader
 * stops, or with an error of `check`, which is called before each entry.
 */
export async function* pages<Item extends { readonly id: string }>(
  read: (offset: number) => Promise<Page<Item>>,
  check: () => void = () => undefined,
): AsyncGenerator<Item, void, undefined> {
  const seen = new Set<string>()
  for (let offset = 0; ;) {
    const { items, hasMore } = await read(offset)
    for (const item of items) {
      if (seen.has(item.id)) continue
      seen.add(item.id)
      check()
      yield item
    }
    offset += items.length
    if (!hasMore || items.length === 0) return
  }
}

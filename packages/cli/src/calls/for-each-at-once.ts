/**
 * Processes all items in order, a few at a time. After the first error or an abort no further item
 * starts; the error is thrown once the running ones have ended.
 */
export async function forEachAtOnce<Item>(
  items: Iterable<Item>,
  concurrency: number,
  signal: AbortSignal,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = items[Symbol.iterator]()
  let failure: { readonly error: unknown } | undefined
  const worker = async () => {
    for (
      let next = waiting.next();
      next.done !== true && failure === undefined && !signal.aborted;
      next = waiting.next()
    ) {
      try {
        await work(next.value)
      } catch (error) {
        failure ??= { error }
      }
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  if (failure !== undefined) throw failure.error
}

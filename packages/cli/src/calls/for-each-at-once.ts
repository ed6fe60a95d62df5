/**
 * Works on all items, a few at a time, in their order. Rejects with the first error, when those
 * that were under way have ended. After an abort no further item begins.
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

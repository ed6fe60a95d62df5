/** The result of work. Rejects with a LateError once `ms` have passed; the work goes on. */
export async function within<T>(ms: number, work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new LateError(`There was no result within ${ms} ms.`)), ms)
    timer.unref()
  })
  try {
    return await Promise.race([work(), late])
  } finally {
    clearTimeout(timer)
  }
}

export class LateError extends Error {
  override readonly name = 'LateError'
}

/** Failed work of this process, to be done when the database responds again. */
export type UnfinishedWork<Work> = {
  readonly add: (work: Work) => void
  /** Does all of it. Work that rejects stays, and the promise rejects with the first error. */
  readonly finish: (finish: (work: Work) => Promise<void>) => Promise<void>
}

/** Works that are done concurrently, so that they share statements. */
const most = 200

export function createUnfinished<Work>(): UnfinishedWork<Work> {
  const open = new Set<Work>()
  return {
    add: (work) => void open.add(work),

    finish: async (finish) => {
      const all = [...open]
      for (let at = 0; at < all.length; at += most) {
        await Promise.all(
          all.slice(at, at + most).map((work) => finish(work).then(() => open.delete(work))),
        )
      }
    },
  }
}

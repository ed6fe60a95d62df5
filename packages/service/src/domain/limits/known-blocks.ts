/** Blocks that this process has seen: what they stop is stopped before anything is read or verified for it. */
export type KnownBlocks = {
  readonly note: (caller: string, until: number, now: number) => void
  /** Milliseconds since 1970 until which a caller is known to be blocked; undefined when it is not. */
  readonly until: (caller: string, now: number) => number | undefined
}

const most = 10_000

/** Names of wallets are told apart without the case of their letters, since a message that names one is not verified yet. */
export function createKnownBlocks(): KnownBlocks {
  const blocks = new Map<string, number>()
  return {
    note: (caller, until, now) => {
      if (blocks.size >= most) for (const [name, end] of blocks) if (end <= now) blocks.delete(name)
      if (blocks.size < most) blocks.set(caller.toLowerCase(), until)
    },
    until: (caller, now) => {
      const until = blocks.get(caller.toLowerCase()) ?? 0
      return until > now ? until : undefined
    },
  }
}

/** Blocks that this process has seen, so that it can refuse a caller before costly work. */
export type KnownBlocks = {
  readonly note: (caller: string, until: number, now: number) => void
  /**
   * Milliseconds since 1970 until which a caller is known to be blocked; undefined when it is not.
   */
  readonly until: (caller: string, now: number) => number | undefined
}

const maxBlocks = 10_000

/**
 * Ignores the case of wallet addresses, since they come from messages that are not verified yet.
 */
export function createKnownBlocks(): KnownBlocks {
  const blocks = new Map<string, number>()
  return {
    note: (caller, until, now) => {
      if (blocks.size >= maxBlocks) for (const [name, end] of blocks) if (end <= now) blocks.delete(name)
      if (blocks.size < maxBlocks) blocks.set(caller.toLowerCase(), until)
    },
    until: (caller, now) => {
      const until = blocks.get(caller.toLowerCase()) ?? 0
      return until > now ? until : undefined
    },
  }
}

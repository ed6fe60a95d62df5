/** What a page shows in the end may be late on a busy machine. */
export const patienceMs = 60_000

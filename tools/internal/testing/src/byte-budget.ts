/** How many bytes a thing may have, a step of 2 %: what changes it by less does not change it. */
export type ByteBudget = { readonly what: string; readonly most: number }

/** The least budget for a number of bytes: 100 and each number that is 2 % above another. */
export function computeBudget(bytes: number): number {
  let steps = 0
  while (toBudget(steps) < bytes) steps++
  return toBudget(steps)
}

/** What is wrong with a budget, what was found and what to do; undefined if nothing is. */
export function findBudgetFault({ what, most }: ByteBudget, bytes: number): string | undefined {
  const next = computeBudget(bytes)
  const found = `${what}: found ${bytes} bytes, allowed ${most}`
  if (most !== computeBudget(most)) return `${found}, which is no step of 2 %. Allow ${next}.`
  if (bytes > most)
    return `${found}. Make it smaller, or allow ${next} and say in the commit what is worth it.`
  // a budget that is far from the truth guards nothing
  return bytes < 0.9 * most ? `${found}. Allow ${next}, so that it cannot grow unseen.` : undefined
}

function toBudget(steps: number): number {
  return Math.round(100 * 1.02 ** steps)
}

import type { Report } from './run-faults.js'

/** The tables of a run, as text. */
export function formatReport({
  rounds,
  outcomes,
  struck,
  charges,
  crashes,
  leftOut,
  wrong,
}: Report): string {
  const requests = [...outcomes].map(([operation, counts]) => {
    const parts = [...counts]
      .toSorted(([one], [other]) => one.localeCompare(other))
      .map(([outcome, count]) => `${outcome} ×${count}`)
    return `  ${operation.padEnd(18)} ${parts.join(', ')}`
  })
  const total = [...outcomes.values()].reduce((total, counts) => total + sum(counts.values()), 0)
  return [
    `${rounds} rounds, ${total} requests, ${charges} charges`,
    'Requests, by what their callers saw:',
    ...requests,
    'Faults:',
    ...[...struck].map(([name, count]) => `  ${name.padEnd(22)} ×${count}`),
    ...leftOut.map((what) => `  left out: ${what}`),
    ...(crashes.size === 0 ? [] : ['Crashes in the logs:']),
    ...[...crashes].map(([what, count]) => `  ×${count} ${what}`),
    wrong.length === 0
      ? 'The ledger agrees with every caller, and every operation works.'
      : 'WRONG:',
    ...wrong.slice(0, 50).map((what) => `  ${what}`),
  ].join('\n')
}

function sum(counts: Iterable<number>): number {
  let total = 0
  for (const count of counts) total += count
  return total
}

import type { Database } from '@farebox/service'
import type { Call } from './call.js'
import { computeBounds, type CostBounds } from './owed.js'
import type { Kill } from './round.js'
import type { UpstreamRecord } from './upstream-process.js'

/** What a payer got and paid. Amounts are in micro-USD. */
export type Summary = {
  readonly calls: number
  /** Whole completions. */
  readonly served: number
  readonly left: number
  readonly 'upstream faults': number
  readonly rejected: number
  /** Calls that the kill of a process cut off. */
  readonly killed: number
  /** What they would have cost, as far as their clients saw a response. */
  readonly 'free by kill': number
  /** Failures without a fault of the upstream or a kill. */
  readonly 'own faults': number
  readonly spent: number
  readonly overspend: number
  readonly undercharge: number
}

/** How many calls, payers or routes were checked for something, and how many have it. */
export type Case = { checked: number; wrong: number }

/** What users report of other gateways. */
export type Cases = Record<
  | 'charged in full after a disconnect'
  | 'charged nothing after a disconnect'
  | 'cap multiplied by the number of processes'
  | 'routes that are never counted',
  Case
>

export function createCases(): Cases {
  return {
    'charged in full after a disconnect': { checked: 0, wrong: 0 },
    'charged nothing after a disconnect': { checked: 0, wrong: 0 },
    'cap multiplied by the number of processes': { checked: 0, wrong: 0 },
    'routes that are never counted': { checked: 0, wrong: 0 },
  }
}

type Context = {
  /** What the upstream gave, by call. */
  readonly given: ReadonlyMap<string, UpstreamRecord>
  readonly kill: Kill | undefined
  /** Counts this payer and its calls. */
  readonly cases: Cases
}

type PayerReport = {
  readonly summary: Summary
  /** Each call that was overcharged or undercharged, or failed without a reason. */
  readonly wrong: readonly string[]
}

export type Payer = {
  readonly name: string
  /** Selects the entries of the payer. */
  readonly entries: { readonly column: 'e.key_id' | 'a.name'; readonly value: string }
  readonly budget: bigint
}

/**
 * Milliseconds before the end of a killed process is seen in which it may have cut a connection, or
 * not have charged a client that left without a request id, whose hold is unknown.
 */
const killMs = 2_000

/** Compares what a payer was charged with what each call may cost. */
export async function sumUp(
  database: Database,
  { entries, budget }: Payer,
  calls: readonly Call[],
  { given, kill, cases }: Context,
): Promise<PayerReport> {
  const rows = await database.query<{ request_id: string; usd: bigint; count: bigint }>(
    `select request_id, -sum(e.amount)::bigint as usd, count(*) as count
     from entry e join account a on a.id = e.account_id
     where ${entries.column} = $1 and request_id is not null group by request_id`,
    [entries.value],
  )
  const charged = new Map(rows.map(({ request_id, usd }) => [request_id, usd]))
  let [spent, overspend, undercharge, free] = [0n, 0n, 0n, 0n]
  for (const amount of charged.values()) spent += amount
  if (spent > budget) overspend += spent - budget
  note(cases['cap multiplied by the number of processes'], spent > budget)
  for (const { usd, count } of rows) if (count > 1n) overspend += usd

  const isKilled = ({ origin, outcome, requestId, start, end }: Call) => {
    if (kill?.origin !== origin || start > kill.at) return false
    const isLate = end >= kill.at - killMs
    if (outcome === 'cut') return isLate
    if (outcome !== 'left') return false
    return end >= kill.at || (requestId === undefined ? isLate : kill.open.has(requestId))
  }
  const isOwnFault = (call: Call) =>
    !isKilled(call) &&
    (call.outcome === 'cut' || (call.outcome === 'failed' && !isUpstreamFault(call)))
  const unknown: CostBounds[] = []
  const wrong: string[] = []
  for (const call of calls) {
    const { least, most } = computeBounds(call, given.get(call.plan.script.id))
    const isFree = isKilled(call)
    const say = (what: string) => void wrong.push(`${what}: ${describe(call)}`)
    if (isOwnFault(call)) say('failed')
    if (call.requestId === undefined) {
      // without a head of a response, only the sums can be compared
      unknown.push({ least: isFree ? 0n : least, most })
      continue
    }
    const paid = charged.get(call.requestId) ?? 0n
    charged.delete(call.requestId)
    if (call.outcome === 'left' && !isFree) {
      note(cases['charged in full after a disconnect'], paid > most)
      if (least > 0n) note(cases['charged nothing after a disconnect'], paid === 0n)
    }
    if (paid > most) {
      overspend += paid - most
      say(`charged ${paid} of at most ${most}`)
    } else if (isFree) free += most - paid
    else if (paid < least) {
      undercharge += least - paid
      say(`charged ${paid} of at least ${least}`)
    }
  }
  const strays = compareStrays([...charged.values()], unknown)
  const count = (is: (call: Call) => boolean) => calls.filter(is).length
  if (strays.overspend > 0n || strays.undercharge > 0n)
    wrong.push(`calls without a response: charged ${[...charged.values()].join()}`)
  const summary = {
    calls: calls.length,
    served: count(({ outcome }) => outcome === 'whole'),
    left: count((call) => call.outcome === 'left' && !isKilled(call)),
    'upstream faults': count((call) => call.outcome === 'failed' && isUpstreamFault(call)),
    rejected: count(({ outcome }) => outcome === 'rejected'),
    killed: count(isKilled),
    'free by kill': Number(free),
    'own faults': count(isOwnFault),
    spent: Number(spent),
    overspend: Number(overspend + strays.overspend),
    undercharge: Number(undercharge + strays.undercharge),
  }
  return { summary, wrong }
}

function note(one: Case, isWrong: boolean): void {
  one.checked++
  if (isWrong) one.wrong++
}

function describe({ plan, outcome, status, error, received, start, end, requestId }: Call): string {
  const { script, isStreamed, leaving } = plan
  const what = { ...script, isStreamed, leaving, outcome, status, received, requestId }
  return `${JSON.stringify(what)} after ${Math.round(end - start)} ms ${error}`.trim()
}

function isUpstreamFault({ plan: { script } }: Call): boolean {
  return !['complete', 'without [DONE]', 'stalls'].includes(script.end)
}

/** The charges without a call against the calls without a request id: the dearest of each first. */
function compareStrays(charges: readonly bigint[], unknown: readonly CostBounds[]) {
  const descending = (one: bigint, other: bigint) => (one === other ? 0 : one < other ? 1 : -1)
  const paid = charges.toSorted(descending)
  const most = unknown.map((one) => one.most).toSorted(descending)
  const least = unknown.map((one) => one.least).toSorted(descending)
  let [overspend, undercharge] = [0n, 0n]
  for (let at = 0; at < Math.max(paid.length, unknown.length); at++) {
    const amount = paid[at] ?? 0n
    if (amount > (most[at] ?? 0n)) overspend += amount - (most[at] ?? 0n)
    if (amount < (least[at] ?? 0n)) undercharge += (least[at] ?? 0n) - amount
  }
  return { overspend, undercharge }
}

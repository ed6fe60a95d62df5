// The verdicts of one generator on the cases of one file, in a process and a folder of its own,
// where its output and its files stay.
import { readFileSync } from 'node:fs'
import type { Case, Test } from './cases.js'
import { peers } from './peers.js'
import { createValidators, type Found } from './build-validators.js'

export type Verdict = {
  readonly rule: string
  readonly test: string
  readonly verdict: 'right' | 'accepted' | 'refused' | 'failed'
  readonly because?: string
}

/** What the process sends. */
export type WorkerMessage =
  | { readonly progress: string }
  | { readonly verdicts: readonly Verdict[] }

const [peerName = '', place = '', file = ''] = process.argv.slice(2)
const cases = JSON.parse(readFileSync(file, 'utf8')) as readonly Case[]
const peer = await peers[peerName]?.load(place)
if (peer === undefined) throw new Error(`There is no generator ${JSON.stringify(peerName)}.`)

const validatorsOf = createValidators(peer, process.cwd(), (progress) => send({ progress }))
const found = new Map(await validatorsOf(cases.filter(({ alone }) => !alone)))
for (const one of cases.filter(({ alone }) => alone))
  for (const [name, entry] of await validatorsOf([one])) found.set(name, entry)
send({
  verdicts: cases.flatMap(({ name, rule, tests }) =>
    tests.map((test): Verdict => ({
      rule,
      test: test.description,
      ...judge(found.get(name), test),
    })),
  ),
})

function send(message: WorkerMessage): void {
  process.send?.(message)
}

function judge(
  validator: Found | undefined,
  { data, valid }: Test,
): Pick<Verdict, 'verdict' | 'because'> {
  if (validator === undefined) return { verdict: 'failed', because: 'no validator has its name' }
  if (validator.kind === 'failure') return { verdict: 'failed', because: validator.because }
  try {
    const { success } = validator.safeParse(data)
    return { verdict: success === valid ? 'right' : success ? 'accepted' : 'refused' }
  } catch (error) {
    return {
      verdict: 'failed',
      because: `it throws ${error instanceof Error ? error.message : String(error)}`,
    }
  }
}

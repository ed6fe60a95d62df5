import { runChecks, SkipError, type CheckOn, type Result } from '../check.js'
import { clientChecks } from './client-checks.js'
import { openEndpoint, type EndpointOptions } from './exchange.js'
import type { ClientCommand } from './hostile-service.js'
import { serviceChecks } from './service-checks.js'

export type { Result } from '../check.js'
export type { EndpointOptions } from './exchange.js'
export {
  paymentRequired,
  receipt,
  settled,
  startHostileService,
  type Authorization,
  type Behavior,
  type ClientCommand,
  type HostileService,
  type Reply,
} from './hostile-service.js'

type Choice = {
  /** The ids of the checks to run. Default: all. */
  readonly only?: readonly string[] | undefined
}

/**
 * Checks a paid HTTP endpoint against x402, and yields the result of each check. It pays with a new
 * wallet, which has no funds: only a service without settlement takes its payments.
 */
export async function* verifyX402Service(
  options: EndpointOptions & Choice,
): AsyncGenerator<Result, void, undefined> {
  const { signal = new AbortController().signal } = options
  yield* runChecks(choose(serviceChecks, options), await openEndpoint(options), signal)
}

/**
 * Checks a client against services on this machine that are broken or hostile, and yields the
 * result of each check. The command pays the URL in the environment variable X402_URL with the key
 * in X402_PRIVATE_KEY, which is new and has no funds. It exits with 0 if it was served.
 */
export async function* verifyX402Client(
  client: ClientCommand & Choice,
): AsyncGenerator<Result, void, undefined> {
  let hasPaid = true
  const [first, ...others] = choose(clientChecks, client).map((check) => ({
    ...check,
    run: async (command: ClientCommand) => {
      if (!hasPaid) throw new SkipError('the client did not pay a service without faults')
      await check.run(command)
    },
  }))
  if (!first) return
  for await (const result of runChecks([first], client, client.signal)) {
    hasPaid = result.status === 'passed'
    yield result
  }
  yield* runChecks(others, client, client.signal)
}

function choose<Subject>(
  checks: readonly CheckOn<Subject>[],
  { only }: Choice,
): readonly CheckOn<Subject>[] {
  return only ? checks.filter(({ id }) => only.includes(id)) : checks
}

import { code, join, namespace, symbol, type Code } from '../../emit/code.js'

/** What a client sends through, the outermost first. */
const networkLayers = ['retry', 'rateLimit', 'timeout'] as const
type NetworkLayer = (typeof networkLayers)[number]

/** Each is an option of the output. */
export const networkOptions = [...networkLayers, 'oauth'] as const
export type NetworkOption = (typeof networkOptions)[number]

export function isLayer(option: NetworkOption): option is NetworkLayer {
  return option !== 'oauth'
}

const layers = namespace('layers', '@farebox/retry')
const importType = (name: string): Code => symbol(name, '@farebox/retry', { typeOnly: true })

/** The options of each layer, and the expression that creates it from them. */
const facts: Readonly<
  Record<
    NetworkLayer,
    { readonly comment: string; readonly options: string; readonly expression: Code }
  >
> = {
  retry: {
    comment: `Calls that are safe to repeat are sent up to three times. All attempts of a POST have the same
   * Idempotency-Key; after a lost response it is sent again if its operation declares that header.`,
    options: 'RetryOptions',
    expression: code`${layers}.idempotencyKeys(), ${layers}.retry({ rule: shouldRepeat, ...retry })`,
  },
  rateLimit: {
    comment: 'Calls wait for the limits that responses state.',
    options: 'RateLimitOptions',
    expression: code`${layers}.rateLimit(rateLimit)`,
  },
  timeout: {
    comment: `For each attempt. Default: 30 seconds until the response begins, and 20 until its next part.`,
    options: 'TimeoutOptions',
    expression: code`${layers}.timeout({ responseMs: 30_000, idleMs: 20_000, ...timeout })`,
  },
}

/** A gateway that fails may have passed the call on. */
const rule = code`/** Also repeats an idempotent call after a 502 or 504. */
function shouldRepeat(call: Parameters<${importType('RetryRule')}>[0], outcome: ${importType('Outcome')}): boolean {
  if (${layers}.shouldRetryWithKey(call, outcome)) return true
  const isGateway = 'response' in outcome && [502, 504].includes(outcome.response.status)
  return isGateway && call.operation?.idempotent === true && call.signal?.aborted !== true
}`

/** The layers of a client as one function, and the type of their options. */
export function printNetwork(chosen: readonly NetworkLayer[]): readonly Code[] {
  const send = symbol('Send', './call.js', { typeOnly: true })
  const compose = symbol('compose', '@farebox/middleware')
  const options = chosen.map(
    (name) =>
      code`  /**\n   * ${facts[name].comment}\n   * \`false\` leaves it out.\n   */\n  readonly ${name}?: ${importType(facts[name].options)} | false`,
  )
  const entries = chosen.map(
    (name) => code`    ...(${name} === false ? [] : [${facts[name].expression}]),`,
  )
  return [
    code`/** How calls survive a network: by the layers that the configuration of this output names. */
export type NetworkOptions = {
${join(options, '\n')}
}`,
    code`/** Sends through these layers, the outermost first. */
export function withNetwork(send: ${send}, { ${chosen.join(', ')} }: NetworkOptions = {}): ${send} {
  return ${compose}(send as Parameters<typeof ${compose}>[0], [
${join(entries, '\n')}
  ]) as ${send}
}`,
    ...(chosen.includes('retry') ? [rule] : []),
  ]
}

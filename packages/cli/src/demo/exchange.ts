/** One request and its response, as the page shows them. It holds no whole credential. */
export type Exchange = {
  readonly id: number
  /** ISO 8601. */
  readonly at: string
  readonly method: string
  readonly path: string
  readonly status: number
  /** From the request to the head of its response. */
  readonly ms: number
  /** Its step in the payment flow. */
  readonly stage: Stage
  readonly sent: readonly HeaderLine[]
  readonly received: readonly HeaderLine[]
}

export type HeaderLine = readonly [name: string, value: string]
export type Stage = 'payment required' | 'repeat with payment' | 'charge' | 'refusal' | 'call'

const payments = ['payment-signature', 'x-402-payment', 'x-payment'] as const
const credentials = ['authorization', 'sign-in-with-x', 'x-sign-in-with-x', ...payments] as const
const plainSent = ['content-type', 'idempotency-key'] as const
const longReceived = ['payment-required', 'payment-response'] as const
const plainReceived = [
  'content-type',
  'x-balance-remaining',
  'x-farebox-backend',
  'x-request-id',
  'retry-after',
] as const

/** A request with the head of its response, as the page shows it. */
export function toExchange(
  request: Request,
  response: Response,
  facts: Pick<Exchange, 'id' | 'at' | 'ms'>,
): Exchange {
  const { pathname, search } = new URL(request.url)
  return {
    ...facts,
    method: request.method,
    path: `${pathname}${search}`,
    status: response.status,
    stage: detectStage(request, response),
    sent: [
      ...toHeaderLines(request.headers, credentials, shortened),
      ...toHeaderLines(request.headers, plainSent),
    ],
    received: [
      ...toHeaderLines(response.headers, longReceived, shortened),
      ...toHeaderLines(response.headers, plainReceived),
    ],
  }
}

/** The scheme of a credential, its first characters and its length. */
export function shortened(value: string): string {
  const [, scheme = '', secret = ''] = /^(Bearer +)?(.*)$/is.exec(value) ?? []
  return `${scheme}${secret.slice(0, Math.min(8, Math.floor(secret.length / 4)))}… (${secret.length} characters)`
}

function detectStage({ headers }: Request, response: Response): Stage {
  if (response.status === 402) return 'payment required'
  if (!response.ok) return 'refusal'
  if (payments.some((name) => headers.has(name))) return 'repeat with payment'
  return response.headers.has('x-balance-remaining') ? 'charge' : 'call'
}

function toHeaderLines(
  headers: Headers,
  names: readonly string[],
  show = (value: string) => value,
): readonly HeaderLine[] {
  return names.flatMap((name): HeaderLine[] => {
    const value = headers.get(name)
    return value === null ? [] : [[name, show(value)]]
  })
}

import { decodePaymentHeader } from '@farebox/auth/verify'

const name = 'payment-identifier'
const pattern = '^[a-zA-Z0-9_-]{16,128}$'

/**
 * What a 402 says about the x402 extension `payment-identifier`: a client may give its payment an
 * id. One id has one payment, so a repeat gets the first response, and another payment a 409.
 */
export const paymentIdentifier = {
  [name]: {
    info: { required: false },
    schema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        required: { type: 'boolean' },
        id: { type: 'string', minLength: 16, maxLength: 128, pattern },
      },
      required: ['required'],
    },
  },
}

/** The id in a payment header, or null; undefined for one that is not valid. */
export function readPaymentIdentifier(header: string): string | null | undefined {
  const { extensions } = Object(decodePaymentHeader(header)) as {
    readonly extensions?: Readonly<Record<string, { readonly info?: { readonly id?: unknown } }>>
  }
  const id = extensions?.[name]?.info?.id
  if (id === undefined) return null
  return typeof id === 'string' && new RegExp(pattern).test(id) ? `${name}:${id}` : undefined
}

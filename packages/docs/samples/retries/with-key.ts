import { shouldRetryWithKey } from '@farebox/retry'
import { createFarebox } from 'farebox'

// only against a service that honours Idempotency-Key, as the local one does
const farebox = createFarebox({ retry: { rule: shouldRetryWithKey } })

const input = {
  file: new Blob(['Zone A to C: 2.40']),
  response_format: 'text',
} as const
const call = { idempotencyKey: 'invoice-2026-117' }
const first = await farebox.parseText(input, call)
const again = await farebox.parseText(input, call) // the same response, charged once
console.log(first === again)

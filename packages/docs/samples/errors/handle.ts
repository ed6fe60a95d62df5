import { generatePrivateKey, privateKeySigner } from '@farebox/auth/keys'
import { createFarebox, isFareboxError } from 'farebox'

const farebox = createFarebox({ wallet: privateKeySigner(generatePrivateKey()) })

try {
  await farebox.createSpeech({ input: 'Hello' })
} catch (error) {
  if (!isFareboxError(error)) throw error // not ours: a bug
  const { code, status, operation, requestId, attempts, mayHaveArrived } = error
  console.log({
    code,
    status,
    operation,
    attempts,
    mayHaveArrived,
    hasRequestId: requestId !== undefined,
  })
}

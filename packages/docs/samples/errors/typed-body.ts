import { generatePrivateKey, privateKeySigner } from '@farebox/auth/keys'
import { createFarebox, isFareboxError } from 'farebox'

const farebox = createFarebox({ wallet: privateKeySigner(generatePrivateKey()) })

const error = await farebox
  .parseText({ file: new Blob(['Fares']) })
  .catch((thrown: unknown) => thrown)
if (isFareboxError(error, 'parseText', 402) && 'minimumTopUpUsd' in error.body) {
  console.log(`top up at least ${error.body.minimumTopUpUsd} USD`) // the compiler knows the body
}

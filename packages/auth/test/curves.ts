import { nativeCurves } from '../src/native/node.js'
import { recoverAddressWith, recoverByNoble } from '../src/evm/signature.js'
import { verifyEd25519With } from '../src/native/ed25519.js'

/** The result of Node's code and noble's. Throws if they differ. */
export function verifyEd25519Twice(
  ...inputs: readonly [signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array]
): boolean {
  return requireEqual(
    verifyEd25519With(nativeCurves, ...inputs),
    verifyEd25519With({}, ...inputs),
    inputs,
  )
}

/** The address that libsecp256k1 and noble recover. Throws if they differ. */
export function recoverAddressTwice(
  ...inputs: readonly [hash: Uint8Array, signature: string]
): string | undefined {
  const { recoverPublicKey = recoverByNoble } = nativeCurves
  return requireEqual(
    recoverAddressWith(recoverPublicKey, ...inputs),
    recoverAddressWith(recoverByNoble, ...inputs),
    inputs,
  )
}

function requireEqual<Value>(
  native: Value,
  noble: Value,
  inputs: readonly (Uint8Array | string)[],
): Value {
  if (native === noble) return noble
  const lines = inputs.map((input) =>
    typeof input === 'string' ? input : Buffer.from(input).toString('hex'),
  )
  throw new Error(
    `The platform's code says ${String(native)}, noble says ${String(noble)}, for ${lines.join(', ')}`,
  )
}

import { nativeCurves } from '../src/native/node.js'
import { recoverAddressWith, recoverByNoble } from '../src/evm/recover-address.js'
import { verifyEd25519With } from '../src/solana/ed25519.js'

/** The verdict of Node's code and of noble's. Throws where they differ. */
export function verifiesEd25519(...given: readonly [signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array]): boolean {
  return theSame(verifyEd25519With(nativeCurves, ...given), verifyEd25519With({}, ...given), given)
}

/** The address that libsecp256k1 and noble find. Throws where they differ. */
export function recoveredAddress(...given: readonly [hash: Uint8Array, signature: string]): string | undefined {
  const { recoverPublicKey = recoverByNoble } = nativeCurves
  return theSame(recoverAddressWith(recoverPublicKey, ...given), recoverAddressWith(recoverByNoble, ...given), given)
}

function theSame<Value>(native: Value, noble: Value, given: readonly (Uint8Array | string)[]): Value {
  if (native === noble) return noble
  const inputs = given.map((one) => (typeof one === 'string' ? one : Buffer.from(one).toString('hex')))
  throw new Error(`The platform's code says ${String(native)}, noble says ${String(noble)}, of ${inputs.join(', ')}`)
}

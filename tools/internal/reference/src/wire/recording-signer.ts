import type { EvmPaymentSigner, PaymentSigner, WalletSigner } from '@farebox/auth'
import type { Tell } from './exchange.js'

/** Records each message that a wallet signs, without the signature. */
export function recordingSigner(signer: WalletSigner, record: Tell): WalletSigner {
  return {
    kind: signer.kind,
    address: signer.address,
    sign: async (message) => {
      const signature = await signer.sign(message)
      record({ kind: 'signature', what: 'The wallet signs the sign-in', signed: message })
      return signature
    },
  }
}

/** Records each payment that a wallet signs. A payer with a rail of its own is not recorded. */
export function recordingPayer(payer: PaymentSigner, record: Tell): PaymentSigner {
  if (!signsTypedData(payer)) return payer
  const recording: EvmPaymentSigner = {
    kind: 'evm',
    address: payer.address,
    signTypedData: async (typedData) => {
      const signature = await payer.signTypedData(typedData)
      const { domain, primaryType, message } = typedData
      record({
        kind: 'signature',
        what: 'The wallet signs the payment',
        signed: JSON.stringify({ primaryType, domain, message }, null, 2),
      })
      return signature
    },
  }
  return recording
}

function signsTypedData(payer: PaymentSigner): payer is EvmPaymentSigner {
  return 'signTypedData' in payer
}

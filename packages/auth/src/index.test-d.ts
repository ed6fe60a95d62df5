import type { Middleware } from '@farebox/middleware'
import type {
  KeyPairSigner,
  MessagePartialSigner,
  TransactionModifyingSigner,
  TransactionPartialSigner,
} from '@solana/kit'
import type { JsonRpcSigner, Wallet } from 'ethers'
import type { EIP1193Provider, PrivateKeyAccount, WalletClient } from 'viem'
import { expectTypeOf, test } from 'vitest'
import {
  bearer,
  createSiwxHeader,
  evmSigner,
  pay,
  signIn,
  type EvmSigner,
  type EvmSource,
  type PayOptions,
  type PaymentSigner,
  type SignInOptions,
  type SolanaSource,
  type WalletSigner,
} from './index.js'
import { generatePrivateKey, privateKeySigner } from './keys.js'
import { solanaPaymentSigner, type SolanaPayerSource } from './solana.js'
import {
  parseSiweMessage,
  verifyEd25519,
  verifyPaymentAuthorization,
  verifySiwxHeader,
  type SiweMessage,
  type VerifiedPayment,
  type VerifiedSiwx,
} from './verify.js'

test('the middlewares have the types of the design', () => {
  expectTypeOf(bearer).parameter(0).toEqualTypeOf<string | (() => string | Promise<string>)>()
  expectTypeOf(bearer).returns.toEqualTypeOf<Middleware>()
  expectTypeOf(signIn).toEqualTypeOf<(signer: WalletSigner, options: SignInOptions) => Middleware>()
  expectTypeOf(pay).toEqualTypeOf<(signer: PaymentSigner, options: PayOptions) => Middleware>()
  expectTypeOf(createSiwxHeader).returns.toEqualTypeOf<Promise<string>>()
})

test('signers of both kinds come out of the usual wallets', () => {
  expectTypeOf<EvmSigner>().toExtend<WalletSigner>()
  expectTypeOf<EvmSigner>().toExtend<PaymentSigner>()
  expectTypeOf(evmSigner).returns.toEqualTypeOf<EvmSigner>()
  expectTypeOf(privateKeySigner).toEqualTypeOf<(privateKey: string) => EvmSigner>()
  expectTypeOf(generatePrivateKey()).toEqualTypeOf<string>()
  expectTypeOf<PrivateKeyAccount>().toExtend<EvmSource>()
  expectTypeOf<WalletClient>().toExtend<EvmSource>()
  expectTypeOf<EIP1193Provider>().toExtend<EvmSource>()
  expectTypeOf<Wallet>().toExtend<EvmSource>()
  expectTypeOf<JsonRpcSigner>().toExtend<EvmSource>()
  expectTypeOf<KeyPairSigner>().toExtend<SolanaSource>()
  expectTypeOf<MessagePartialSigner>().toExtend<SolanaSource>()
  expectTypeOf<KeyPairSigner>().toExtend<SolanaPayerSource>()
  expectTypeOf<TransactionPartialSigner>().toExtend<SolanaPayerSource>()
  expectTypeOf<TransactionModifyingSigner>().toExtend<SolanaPayerSource>()
  expectTypeOf(solanaPaymentSigner).returns.toExtend<WalletSigner & PaymentSigner>()
})

test('the server’s part says who, and how much', () => {
  expectTypeOf(verifySiwxHeader).returns.toEqualTypeOf<Promise<VerifiedSiwx>>()
  expectTypeOf<VerifiedSiwx['chain']>().toEqualTypeOf<'evm' | 'solana'>()
  expectTypeOf(parseSiweMessage).toEqualTypeOf<(text: string) => SiweMessage>()
  expectTypeOf(verifyEd25519).toEqualTypeOf<
    (signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array) => boolean
  >()
  expectTypeOf(verifyPaymentAuthorization).returns.toEqualTypeOf<Promise<VerifiedPayment>>()
  expectTypeOf<VerifiedPayment['amount']>().toEqualTypeOf<bigint>()
})

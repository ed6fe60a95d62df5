import type { CallOptions } from '@farebox/client'
import type { LedgerEntry, TopUpResult, WalletBalance } from '@farebox/types'
import type { Methods } from './methods.js'
import type { VideoInput, VideoOptions, VideoTicket } from './video.js'

/**
 * The operations, and the jobs that take more than one of them. Every method throws `FareboxError` and nothing else, and may be
 * taken out of the object.
 */
export type Farebox = Omit<Methods, 'topUp'> & {
  /**
   * Buys credit for the wallet: discovers the offer, signs one USDC payment for exactly this amount, sends it, and sends
   * the same payment again until there is a definite answer. With the error code `outcome_unknown`, read the balance
   * before you buy again.
   */
  readonly topUp: (amountUsd: number, options?: CallOptions) => Promise<TopUpResult['data']>
  /** What the wallet, or another address of the same owner, has left. */
  readonly balance: (options?: CallOptions) => Promise<WalletBalance['data']>
  /** The wallet's ledger over all pages, newest first. An entry that moves to another page while you read is given once. */
  readonly transactions: (walletAddress?: string, options?: CallOptions) => AsyncGenerator<LedgerEntry, void, undefined>
  /** Queues a video, polls until it is there and downloads it; with a ticket of an earlier `queueVideo`, goes on with that one. */
  readonly generateVideo: (input: VideoInput | VideoTicket, options?: VideoOptions) => Promise<Response>
}

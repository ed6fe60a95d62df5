import type { CallOptions } from '@farebox/client'
import type { LedgerEntry, TopUpResult, WalletBalance } from '@farebox/types'
import type { Methods } from './methods.js'
import type { VideoInput, VideoOptions, VideoTicket } from './video.js'

/**
 * The operations, and tasks that use several of them. Every method throws only `FareboxError`. A
 * method may be called without the object.
 */
export type Farebox = Omit<Methods, 'topUp'> & {
  /**
   * Buys credit for the wallet: gets the offer, signs one USDC payment for exactly this amount and
   * sends it, repeatedly until there is a definite response. After the error code
   * `outcome_unknown`, read the balance before you buy again.
   */
  readonly topUp: (amountUsd: number, options?: CallOptions) => Promise<TopUpResult['data']>
  /** The spendable balance of the wallet, without the prices that are held for queued videos. */
  readonly balance: (options?: CallOptions) => Promise<WalletBalance['data']>
  /** The wallet's ledger over all pages, newest first. No entry is returned twice. */
  readonly transactions: (walletAddress?: string, options?: CallOptions) => AsyncGenerator<LedgerEntry, void, undefined>
  /**
   * Queues a video, polls until it is complete, and downloads it. With the result of an earlier
   * `queueVideo`, resumes that one.
   */
  readonly generateVideo: (input: VideoInput | VideoTicket, options?: VideoOptions) => Promise<Response>
}

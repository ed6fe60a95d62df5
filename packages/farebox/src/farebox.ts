import type { FileInput } from '@farebox/client'
import type { LedgerEntry, ParsedText, QueuedVideo } from '@farebox/types'
import type { FareboxCallOptions } from './call-options.js'
import type { Media } from './media.js'
import type { Data, Methods } from './methods.js'
import type { ParseAllOptions } from './parse-all.js'
import type { FareboxRequest } from './request.js'
import type { FareboxCall } from './with-response.js'
import type { VideoInput, VideoOptions } from './video.js'

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
  readonly topUp: (amountUsd: number, options?: FareboxCallOptions) => FareboxCall<Data<'topUp'>>
  /**
   * Sends a request that the contract does not cover, with the credentials, retries and limits of
   * the operations. The path follows `baseUrl`. Gives a successful response, its body unread.
   */
  readonly request: FareboxRequest
  /**
   * Extracts the text of several files: one result for each, in their order. A file that fails does
   * not lose the others. Each file is charged as by `parseText`.
   */
  readonly parseAll: (files: Iterable<FileInput>, options?: ParseAllOptions) => Promise<PromiseSettledResult<ParsedText>[]>
  /** The spendable balance of the wallet, without the prices that are held for queued videos. */
  readonly balance: (options?: FareboxCallOptions) => FareboxCall<Data<'getBalance'>>
  /** The wallet's ledger over all pages, newest first. No entry is returned twice. */
  readonly transactions: (walletAddress?: string, options?: FareboxCallOptions) => AsyncGenerator<LedgerEntry, void, undefined>
  /**
   * Queues a video, polls until it is complete, and downloads it. With the result of an earlier
   * `queueVideo`, resumes that one.
   */
  readonly generateVideo: (input: VideoInput | QueuedVideo, options?: VideoOptions) => Promise<Media>
}

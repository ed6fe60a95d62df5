import type { Problem } from './operation-facts.js'

/** The status of a response to a request that no handler gets. */
export type RejectedStatus = 400 | 404 | 405 | 413 | 415

/** A request that is not as the document declares it. */
export class RejectedRequest extends Error {
  override readonly name = 'RejectedRequest'
  declare readonly status: RejectedStatus
  declare readonly problems: readonly Problem[]
  /** With status 405: the methods that the path has. */
  declare readonly allow: readonly string[] | undefined

  constructor(status: RejectedStatus, problems: readonly Problem[], allow?: readonly string[]) {
    super(
      problems
        .map(({ where, found, expected }) => `${where}: found ${found}, expected ${expected}.`)
        .join(' '),
    )
    Object.assign(this, { status, problems, allow })
  }
}

import type { Browser } from 'playwright-core'
import type { LocalService } from './local-service.js'

/** What each part of the check works with. It adds its faults to those of the others. */
export type Visit = {
  readonly browser: Browser
  /** The address of the built site, with a slash at its end. */
  readonly site: string
  readonly service: LocalService
  readonly faults: string[]
}

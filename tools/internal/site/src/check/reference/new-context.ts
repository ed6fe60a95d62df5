import type { Browser, BrowserContext } from 'playwright-core'
import { patienceMs } from '../patience.js'

/** A reader with an empty browser, on a machine that may be slow. */
export async function newContext(browser: Browser): Promise<BrowserContext> {
  const context = await browser.newContext()
  context.setDefaultTimeout(patienceMs)
  return context
}

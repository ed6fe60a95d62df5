import type { Browser } from 'playwright-core'
import { patienceMs } from './patience.js'
import { watch } from './watch.js'

/** The search finds a page for a term that several have. */
export async function checkSearch(browser: Browser, origin: string, base: string): Promise<readonly string[]> {
  const tab = await browser.newPage()
  const { faults } = await watch(tab, origin, 'search')
  await tab.goto(`${origin}${base}start/`, { waitUntil: 'networkidle' })
  await tab.click('site-search .open')
  await tab.fill('site-search input', 'top-up')
  const found = await tab.waitForSelector('site-search ol a', { timeout: patienceMs }).catch(() => undefined)
  if (found === undefined) faults.push('search finds nothing for "top-up"')
  await tab.close()
  return faults
}

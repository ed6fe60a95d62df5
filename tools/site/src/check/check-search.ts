import type { Browser } from 'playwright-core'
import { patienceMs } from './patience.js'
import { watch } from './watch.js'

/** Words that many pages have, and the page that has to come first for them. */
const firsts = {
  'spending cap': 'guides/top-up/',
  install: 'start/',
  retry: 'guides/retries/',
  solana: 'guides/wallet/',
  video: 'guides/video/',
  'create api key': 'api/create-api-key/',
}

/**
 * The search ranks the page that answers above packages and lists of exports, which repeat the
 * words.
 */
export async function checkSearch(browser: Browser, origin: string, base: string): Promise<readonly string[]> {
  const tab = await browser.newPage()
  const { faults } = await watch(tab, origin, 'search')
  await tab.goto(`${origin}${base}start/`, { waitUntil: 'networkidle' })
  await tab.click('site-search .open')
  for (const [words, page] of Object.entries(firsts)) {
    await tab.fill('site-search input', words)
    const first = tab.locator(`site-search ol li:first-child a[href="${base}${page}"]`)
    const isFirst = await first.waitFor({ timeout: patienceMs }).then(
      () => true,
      () => false,
    )
    if (isFirst) continue
    const found = await tab
      .locator('site-search ol a')
      .first()
      .getAttribute('href', { timeout: 1 })
      .catch(() => 'nothing')
    faults.push(`search for "${words}" finds ${found} first, expected ${base}${page}`)
  }
  await tab.close()
  return faults
}

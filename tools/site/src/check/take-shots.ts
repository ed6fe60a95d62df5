import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'

const pages = [
  '',
  'start/',
  'concepts/',
  'guides/retries/',
  'api/',
  'api/create-speech/',
  'packages/retry/',
  'reference/comparison/',
  'reference/contract-changes/',
]
const sizes = [
  { name: 'wide', width: 1360, height: 900 },
  { name: 'phone', width: 390, height: 844 },
]

/** Keeps screenshots of some pages in both themes, on a wide screen and on a phone. */
export async function takeShots(browser: Browser, site: string, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  for (const page of pages) {
    for (const theme of ['dark', 'light'] as const) {
      for (const { name, ...viewport } of sizes) {
        const tab = await browser.newPage({ colorScheme: theme, viewport })
        await tab.goto(site + page, { waitUntil: 'networkidle' })
        await tab.screenshot({
          path: join(folder, `${page.replaceAll('/', '-') || 'index-'}${theme}-${name}.png`),
          fullPage: name === 'wide' && page !== 'packages/retry/',
        })
        await tab.close()
      }
    }
  }
}

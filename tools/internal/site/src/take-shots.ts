import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Page } from 'playwright-core'
import { launchChromium } from '@farebox/testing/launch-chromium'
import { serveFolder } from './check/serve-folder.js'
import { watch } from './check/watch.js'
import { docs } from './folders.js'

type Look = {
  readonly name: string
  readonly page: string
  /** What a reader does before the picture is taken. */
  readonly after?: (tab: Page) => Promise<void>
  readonly only?: 'phone'
}

/** One page of each type, and what opens over a page. */
const looks: readonly Look[] = [
  { name: 'home', page: '' },
  {
    name: 'home-menu',
    page: '',
    only: 'phone',
    after: (tab) => tab.click('starlight-menu-button button'),
  },
  { name: 'start', page: 'start/' },
  { name: 'concepts', page: 'concepts/' },
  { name: 'guide', page: 'guides/retries/' },
  { name: 'api', page: 'api/' },
  { name: 'operation', page: 'api/create-speech/' },
  { name: 'package', page: 'packages/retry/' },
  { name: 'exports', page: 'packages/retry-exports/' },
  { name: 'error-codes', page: 'reference/error-codes/' },
  { name: 'diagnostics', page: 'reference/diagnostics/' },
  { name: 'contract-changes', page: 'reference/contract-changes/' },
  { name: 'compatibility', page: 'reference/compatibility/' },
  { name: 'comparison', page: 'reference/comparison/' },
  { name: 'changelog', page: 'reference/changelog/' },
  { name: 'not-found', page: '404.html' },
  { name: 'search', page: 'start/', after: search },
]

const sizes = [
  { name: 'wide', width: 1360, height: 900 },
  { name: 'phone', width: 390, height: 844 },
] as const

/** A page that is longer than this is cut: the rest of a list looks like its beginning. */
const tallest = 6000

/**
 * Keeps a screenshot of each type of page in both themes, on a wide screen and on a phone, as
 * `FOLDER/NAME-THEME-SIZE.png`, and down to its end as `-whole.png`. Motion is
 * reduced, so that two runs show the same.
 */
export async function takeShots(base: string, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const { origin, close } = await serveFolder(join(docs, 'dist'), base)
  const browser = await launchChromium()
  let count = 0
  try {
    for (const colorScheme of ['dark', 'light'] as const) {
      for (const { name: size, ...viewport } of sizes) {
        const context = await browser.newContext({ colorScheme, viewport, reducedMotion: 'reduce' })
        for (const { name, page, after, only } of looks) {
          if (only !== undefined && only !== size) continue
          const tab = await context.newPage()
          const { silent } = await watch(tab, origin, name)
          await tab.goto(origin + base + page, { waitUntil: 'load' })
          await silent()
          await after?.(tab)
          const file = (part: string) => join(folder, `${name}-${colorScheme}-${size}${part}.png`)
          await tab.screenshot({ path: file('') })
          const height = Math.min(
            tallest,
            await tab.evaluate(() => document.documentElement.scrollHeight),
          )
          if (after === undefined)
            await tab.screenshot({
              path: file('-whole'),
              fullPage: true,
              clip: { x: 0, y: 0, width: viewport.width, height },
            })
          await tab.close()
          count += 1
        }
        await context.close()
      }
    }
  } finally {
    await browser.close()
    close()
  }
  console.log(`${count} looks at pages, in ${resolve(folder)}`)
}

async function search(tab: Page): Promise<void> {
  await tab.click('site-search .open')
  await tab.fill('site-search input', 'rate limit')
  await tab.locator('site-search ol a').first().waitFor()
}

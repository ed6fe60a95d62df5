import { mkdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { launchChromium } from '@farebox/testing/launch-chromium'
import { serveFolder } from './check/serve-folder.js'
import { watch } from './check/watch.js'
import { docs } from './folders.js'

type Look = {
  readonly name: string
  readonly page: string
  /** Runs before the screenshot. */
  readonly after?: (tab: Page) => Promise<void>
  readonly only?: 'phone'
}

/** One page of each type, and the overlays. */
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

/** Longer pages are cut: the rest of a list looks like its beginning. */
const tallest = 6000

/**
 * Takes a screenshot of each type of page in both themes, on a wide screen and on a phone, as
 * `FOLDER/NAME-THEME-SIZE.png`, and of the whole page as `-whole.png`. Motion is reduced, so that
 * screenshots are reproducible.
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
  console.log(`${count} views of pages in ${resolve(folder)}`)
}

async function search(tab: Page): Promise<void> {
  await tab.click('site-search .open')
  await tab.fill('site-search input', 'rate limit')
  await tab.locator('site-search ol a').first().waitFor()
}

/** Draws `public/card.png`, the picture of `og:image`. */
export async function drawCard(): Promise<void> {
  const browser = await launchChromium()
  try {
    const tab = await browser.newPage({ viewport: { width: 1200, height: 630 } })
    await tab.setContent(renderCard(), { waitUntil: 'load' })
    await tab.evaluate(() => document.fonts.ready)
    await tab.screenshot({ path: join(docs, 'public/card.png') })
  } finally {
    await browser.close()
  }
}

function renderCard(): string {
  const manifest = createRequire(join(docs, 'package.json')).resolve(
    '@fontsource-variable/figtree/package.json',
  )
  const font = readFileSync(join(manifest, '../files/figtree-latin-wght-normal.woff2')).toString(
    'base64',
  )
  const mark = readFileSync(join(docs, 'src/assets/mark.svg'), 'utf8')
  return `<!doctype html><style>
@font-face { font-family: Figtree; src: url(data:font/woff2;base64,${font}); font-weight: 300 900 }
body { margin: 0; height: 630px; box-sizing: border-box; padding: 76px 84px; background: #0e191b; color: #f7f5ef; font-family: Figtree;
  border-bottom: 18px solid; border-image: repeating-linear-gradient(90deg, #12897a 0 84px, #ffc247 84px 108px, #0e191b 108px 132px) 18 }
p { margin: 0; font-size: 34px; color: #c9ccc6 }
.name { display: flex; gap: 22px; align-items: center; font-size: 44px; font-weight: 700; color: #7fe3d0 }
.name svg { width: 76px; height: 76px }
h1 { margin: 84px 0 30px; font-size: 86px; line-height: 1.04; font-weight: 800; letter-spacing: -0.03em }
</style><p class="name">${mark}Farebox</p><h1>Call AI models<br>and pay per request</h1><p>With an API key, or with just a wallet.</p>`
}

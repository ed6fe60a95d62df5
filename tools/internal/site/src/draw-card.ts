import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { launchChromium } from '@farebox/testing/launch-chromium'
import { docs } from './folders.js'

/** Draws `public/card.png`: what `og:image` names, in the size that readers of it expect. */
export async function drawCard(): Promise<void> {
  const browser = await launchChromium()
  try {
    const tab = await browser.newPage({ viewport: { width: 1200, height: 630 } })
    await tab.setContent(cardHtml(), { waitUntil: 'load' })
    await tab.evaluate(() => document.fonts.ready)
    await tab.screenshot({ path: join(docs, 'public/card.png') })
  } finally {
    await browser.close()
  }
}

function cardHtml(): string {
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

import { expect, it } from 'vitest'
import { launchChromium } from '@farebox/testing/launch-chromium'

it('the browser of the tests draws letters with the fonts that came with it, whatever fonts the machine has', async () => {
  const browser = await launchChromium()
  try {
    const page = await browser.newPage()
    await page.setContent('<span style="font-family: serif">Tram fares</span><code>x</code>')
    const widths = await page.evaluate(() => ['span', 'code'].map((name) => document.querySelector(name)?.getBoundingClientRect().width))
    for (const width of widths) expect(width).toBeGreaterThan(0)
  } finally {
    await browser.close()
  }
})

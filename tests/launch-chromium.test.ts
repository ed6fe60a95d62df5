import { expect, it } from 'vitest'
import { launchChromium } from '@farebox/testing/launch-chromium'

it('the browser of the tests draws letters with the fonts that came with it, whatever fonts the machine has', async () => {
  const browser = await launchChromium()
  try {
    const page = await browser.newPage()
    await page.setContent('<span style="font-family: serif">Tram fares</span><code>x</code>')
    const widths = await page.evaluate(() =>
      ['span', 'code'].map((name) => document.querySelector(name)?.getBoundingClientRect().width),
    )
    for (const width of widths) expect(width).toBeGreaterThan(0)
  } finally {
    await browser.close()
  }
})

it('a page has the date of the tests', async () => {
  const browser = await launchChromium()
  try {
    const page = await browser.newPage()
    const dates = await page.evaluate(() => [Date.now(), new Date().getTime(), Date.parse(Date())])
    const now = Date.now()
    expect(dates.map((date) => Math.abs(Math.round((date - now) / 86_400_000)))).toEqual([0, 0, 0])
  } finally {
    await browser.close()
  }
})

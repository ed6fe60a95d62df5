import { readFileSync } from 'node:fs'
import { launchChromium } from '@farebox/testing/launch-chromium'

/**
 * Runs a bundle in a page of the service's own origin and returns the title that the bundle sets.
 */
export async function inChromium(file: string, baseUrl: string): Promise<string> {
  const browser = await launchChromium()
  try {
    const page = await browser.newPage()
    const address = new URL('/outside.html', baseUrl).href
    const html =
      '<!doctype html><title>waiting</title><script type="module" src="/outside.js"></script>'
    await page.route('**/outside.html', (route) =>
      route.fulfill({ contentType: 'text/html', body: html }),
    )
    await page.route('**/outside.js', (route) =>
      route.fulfill({ contentType: 'text/javascript', body: readFileSync(file, 'utf8') }),
    )
    const faults: string[] = []
    page.on('pageerror', (error) => faults.push(String(error)))
    await page.goto(address)
    await page
      .waitForFunction(() => document.title !== 'waiting', undefined, { timeout: 300_000 })
      .catch((error: unknown) => {
        throw new Error([String(error), ...faults].join('\n'), { cause: error })
      })
    return await page.title()
  } finally {
    await browser.close()
  }
}

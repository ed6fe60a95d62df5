import { readFileSync } from 'node:fs'
import { launchChromium } from '../launch-chromium.mjs'

/**
 * Runs a bundle in a page of the service's own origin and gives the title that it leaves.
 * @param {string} file
 * @param {string} baseUrl
 */
export async function inChromium(file, baseUrl) {
  const browser = await launchChromium()
  try {
    const page = await browser.newPage()
    const address = new URL('/outside.html', baseUrl).href
    const html = '<!doctype html><title>waiting</title><script type="module" src="/outside.js"></script>'
    await page.route('**/outside.html', (route) => route.fulfill({ contentType: 'text/html', body: html }))
    await page.route('**/outside.js', (route) => route.fulfill({ contentType: 'text/javascript', body: readFileSync(file, 'utf8') }))
    const faults = /** @type {string[]} */ ([])
    page.on('pageerror', (error) => faults.push(String(error)))
    await page.goto(address)
    await page
      .waitForFunction(() => document.title !== 'waiting', undefined, { timeout: 30_000 })
      .catch((error) => {
        throw new Error(`${error.message}\n${faults.join('\n')}`)
      })
    return await page.title()
  } finally {
    await browser.close()
  }
}

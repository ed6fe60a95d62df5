import { readFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

/**
 * Runs a bundle in a page of the service's own origin and gives the title that it leaves.
 * @param {string} file
 * @param {string} baseUrl
 */
export async function inChromium(file, baseUrl) {
  const browser = await (await launcher())()
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

/** The launcher of the browser tests, which is TypeScript. It finds its files by its own place, so it is told that. */
async function launcher() {
  const source = new URL('../../tests/launch-chromium.ts', import.meta.url)
  const outfile = fileURLToPath(new URL('../../node_modules/.cache/farebox-release/launch-chromium.mjs', import.meta.url))
  await build({
    entryPoints: [fileURLToPath(source)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    define: { 'import.meta.url': JSON.stringify(source.href) },
  })
  const { launchChromium } = await import(pathToFileURL(outfile).href)
  return launchChromium
}

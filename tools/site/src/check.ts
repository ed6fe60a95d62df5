// `pnpm site:check`: every page of the built site in a headless Chromium. Links and anchors, accessibility in both themes, weight, console,
// requests to other hosts, the search, and the console of the reference against a local service. `--shots FOLDER` keeps screenshots.
import { readdirSync, mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { launchChromium } from '../../../tools/launch-chromium.mjs'
import { checkConsole } from './check-console.mjs'
import { serveFolder } from './serve-folder.mjs'

const { values } = parseArgs({ options: { shots: { type: 'string' } } })
/** Bytes of a page with all that it loads, not compressed. */
const budget = 300_000
const phone = 375
const folder = fileURLToPath(new URL('../dist', import.meta.url))
const base = process.env['SITE_BASE'] ?? '/'
const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js')
const themes = /** @type {const} */ (['dark', 'light'])

const faults = /** @type {string[]} */ ([])
const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.html'))
  .map((path) => base + path.replace(/index\.html$/, ''))
  .toSorted()
const links = /** @type {Map<string, { ids: Set<string>, hrefs: string[] }>} */ (new Map())
let heaviest = { page: '', bytes: 0, sent: 0 }
let judged = 0

const { origin, close } = await serveFolder(folder, base)
const browser = await launchChromium()
try {
  await Promise.all([0, 1].map((worker) => visit(pages.filter((_page, index) => index % 2 === worker))))
  checkLinks()
  await checkSearch()
  faults.push(...(await checkConsole(browser, `${origin}${base}`)))
  if (values.shots !== undefined) await shoot(values.shots)
} finally {
  await browser.close()
  close()
}

const hrefs = [...links.values()].reduce((sum, page) => sum + page.hrefs.length, 0)
const kilobytes = (/** @type {number} */ bytes) => `${(bytes / 1000).toFixed(0)} kB`
console.log(
  `${pages.length} pages, ${hrefs} links; axe WCAG 2.2 AA ${judged} times; heaviest ${heaviest.page}: ${kilobytes(heaviest.bytes)}, ${kilobytes(heaviest.sent)} compressed`,
)
for (const fault of faults) console.log(`FAULT  ${fault}`)
console.log(faults.length === 0 ? 'site: no faults' : `site: ${faults.length} faults`)
process.exitCode = faults.length === 0 ? 0 : 1

/** Loads each page with an empty cache, and looks at it in each theme. @param {readonly string[]} some */
async function visit(some) {
  for (const page of some) {
    const context = await browser.newContext({ colorScheme: 'dark' })
    const tab = await context.newPage()
    const weight = await watch(tab, page)
    // a slow machine may be idle on the network before it has read the page to its end
    await tab.goto(origin + page, { waitUntil: 'load' })
    await tab.waitForLoadState('networkidle')
    await read(tab, page, weight())
    // code that scrolls is made reachable once the page is idle
    await tab.waitForFunction(reachable, undefined, { timeout: 5_000 }).catch(() => undefined)
    await tab.addScriptTag({ path: axe })
    for (const theme of themes) await judgeTab(tab, page, theme, theme)
    await tab.setViewportSize({ width: phone, height: 800 })
    await tab.waitForFunction(reachable, undefined, { timeout: 5_000 }).catch(() => undefined)
    await judgeTab(tab, page, 'light', 'phone')
    const width = await tab.evaluate(() => document.documentElement.scrollWidth)
    if (width > phone) faults.push(`${page} is ${width} pixels wide on a phone of ${phone}`)
    await context.close()
  }
}

/** @param {import('playwright-core').Page} tab @param {string} page @param {string} theme @param {string} how */
async function judgeTab(tab, page, theme, how) {
  const violations = await tab.evaluate(judge, theme)
  faults.push(...violations.map((text) => `${page} (${how}) axe ${text}`))
  judged += 1
}

/** Runs in the page. */
function reachable() {
  return [...document.querySelectorAll('pre')].every((pre) => pre.scrollWidth <= pre.clientWidth || pre.tabIndex === 0)
}

/** Runs in the page. @param {string} theme */
async function judge(theme) {
  document.documentElement.dataset['theme'] = theme
  const { violations } = await globalThis.axe.run(document, {
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
    resultTypes: ['violations'],
  })
  return violations.map(({ id, nodes }) => {
    const [first] = nodes
    return `${id}: ${nodes.length} times, first ${first.target.join(' ')}: ${first.failureSummary.split('\n')[1]?.trim()}`
  })
}

/** Notes what goes wrong on a page, and counts the bytes it loads. @param {import('playwright-core').Page} tab @param {string} where */
async function watch(tab, where) {
  let bytes = 0
  let sent = 0
  tab.on('console', (message) => ['error', 'warning'].includes(message.type()) && faults.push(`${where} console: ${message.text()}`))
  tab.on('pageerror', (error) => faults.push(`${where} threw: ${error.message}`))
  tab.on('request', (request) => {
    if (!request.url().startsWith(`${origin}/`) && !/^(?:data|blob):/.test(request.url()))
      faults.push(`${where} asks another host: ${request.url()}`)
  })
  const client = await tab.context().newCDPSession(tab)
  await client.send('Network.enable')
  client.on('Network.dataReceived', ({ dataLength }) => (bytes += dataLength))
  client.on('Network.loadingFinished', ({ encodedDataLength }) => (sent += encodedDataLength))
  return () => ({ bytes, sent })
}

/** @param {import('playwright-core').Page} tab @param {string} page @param {{ bytes: number, sent: number }} weight */
async function read(tab, page, { bytes, sent }) {
  if (bytes > heaviest.bytes) heaviest = { page, bytes, sent }
  if (bytes > budget) faults.push(`${page} weighs ${bytes} bytes, more than ${budget}`)
  const found = await tab.evaluate(() => ({
    ids: [...document.querySelectorAll('[id]')].map(({ id }) => id),
    hrefs: [...document.querySelectorAll('a[href]')].map((link) => /** @type {HTMLAnchorElement} */ (link).href),
    title: document.title,
  }))
  const twice = found.ids.filter((id, index) => found.ids.indexOf(id) !== index)
  if (twice.length > 0) faults.push(`${page} has an id twice: ${[...new Set(twice)].join(', ')}`)
  if (found.title === '') faults.push(`${page} has no title`)
  links.set(page, { ids: new Set(found.ids), hrefs: found.hrefs })
}

/** Each link within the site leads to a page that is there, and each anchor to an element of it. */
function checkLinks() {
  for (const [page, { hrefs }] of links) {
    for (const href of hrefs) {
      if (!URL.canParse(href)) faults.push(`${page} links to ${href}, which is no address`)
      const { origin: to, pathname, hash } = URL.canParse(href) ? new URL(href) : { origin: '', pathname: '', hash: '' }
      if (to !== origin) continue
      const target = links.get(decodeURIComponent(pathname))
      if (target === undefined) faults.push(`${page} links to ${pathname}, which is not there`)
      else if (hash.length > 1 && !target.ids.has(decodeURIComponent(hash.slice(1))))
        faults.push(`${page} links to ${pathname}${hash}: no such anchor`)
    }
  }
}

async function checkSearch() {
  const tab = await browser.newPage()
  await watch(tab, 'search')
  await tab.goto(`${origin}${base}start/`, { waitUntil: 'networkidle' })
  await tab.click('site-search .open')
  await tab.fill('site-search input', 'top-up')
  const found = await tab.waitForSelector('site-search ol a', { timeout: 10_000 }).catch(() => undefined)
  if (found === undefined) faults.push('search finds nothing for "top-up"')
  await tab.close()
}

/** @param {string} to */
async function shoot(to) {
  mkdirSync(to, { recursive: true })
  for (const page of [
    '',
    'start/',
    'concepts/',
    'guides/retries/',
    'api/',
    'api/create-speech/',
    'packages/retry/',
    'reference/comparison/',
    'reference/contract-changes/',
  ]) {
    for (const theme of themes) {
      for (const [name, width, height] of /** @type {const} */ ([
        ['wide', 1360, 900],
        ['phone', 390, 844],
      ])) {
        const tab = await browser.newPage({ colorScheme: theme, viewport: { width, height } })
        await tab.goto(`${origin}${base}${page}`, { waitUntil: 'networkidle' })
        await tab.screenshot({
          path: join(to, `${page.replaceAll('/', '-') || 'index-'}${theme}-${name}.png`),
          fullPage: name === 'wide' && page !== 'packages/retry/',
        })
        await tab.close()
      }
    }
  }
}

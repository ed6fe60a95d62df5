import { budgetFault } from '@farebox/testing/byte-budget'
import { createDocument } from '@mixmark-io/domino'
import type { Browser } from 'playwright-core'
import { axeFaults, loadAxe } from './axe.js'
import { faultsOfDiagrams } from './faults-of-diagrams.js'
import { patienceMs } from './patience.js'
import { watch } from './watch.js'

/** A page of the site. */
export type PageReport = {
  readonly path: string
  readonly ids: readonly string[]
  readonly hrefs: readonly string[]
  /** What its Markdown has to have too. */
  readonly shown: Shown
  /** What it loads in a browser, not compressed, if one opened it. */
  readonly bytes?: number
  readonly faults: readonly string[]
}

/** The address of a page's Markdown, and how many blocks of code and headings the page shows. */
export type Shown = {
  readonly markdown: string | undefined
  readonly codes: number
  readonly headings: number
}

type Theme = 'dark' | 'light'

const phoneWidth = 375

/** How axe looks at each page. */
export const looks = [
  { name: 'dark', theme: 'dark', rules: 'everything' },
  { name: 'light', theme: 'light', rules: 'colours' },
  { name: 'phone', theme: 'light', rules: 'everything', width: phoneWidth },
] as const

/** Of the heaviest page. */
const most = 363_472

/** Reads the HTML of a page. */
export async function readPage(origin: string, path: string): Promise<PageReport> {
  const response = await fetch(origin + path)
  return reportPage(origin, path, readDocument(createDocument(await response.text())))
}

/**
 * Loads a page with an empty cache, on a desktop and on a phone. `withAxe`: looks in each theme for
 * what keeps people from reading it.
 */
export async function checkPage(
  browser: Browser,
  origin: string,
  path: string,
  withAxe: boolean,
): Promise<PageReport> {
  const context = await browser.newContext({ colorScheme: 'dark' })
  context.setDefaultTimeout(5 * patienceMs)
  const tab = await context.newPage()
  const { faults, bytes, silent } = await watch(tab, origin, path)
  // a slow machine may be idle on the network before it has read the page to its end
  await tab.goto(origin + path, { waitUntil: 'load' })
  await silent()
  const weight = bytes()
  if (weight > most) faults.push(budgetFault({ what: path, most }, weight) ?? path)
  const report = reportPage(
    origin,
    path,
    await tab.evaluate(readDocument, await tab.evaluateHandle(() => document)),
  )
  const drawn = await tab.evaluate(faultsOfDiagrams)
  faults.push(...drawn.map((fault) => `${path} diagram ${fault}`))

  if (withAxe) await loadAxe(tab)
  for (const { name, theme, rules, ...size } of looks) {
    if ('width' in size) await tab.setViewportSize({ width: size.width, height: 800 })
    if (!withAxe) continue
    // code that scrolls is made reachable by keyboard once the page is idle
    await tab
      .waitForFunction(isReachable, undefined, { timeout: patienceMs })
      .catch(() => undefined)
    await tab.evaluate(show, theme)
    faults.push(...(await axeFaults(tab, rules)).map((text) => `${path} (${name}) axe ${text}`))
  }
  const width = await tab.evaluate(() => document.documentElement.scrollWidth)
  if (width > phoneWidth) faults.push(`${path} is ${width} pixels wide on a phone of ${phoneWidth}`)
  await context.close()
  return { ...report, bytes: weight, faults: [...report.faults, ...faults] }
}

/** Runs in a browser too. */
function readDocument(page: Document) {
  const count = (names: readonly string[]): number =>
    [...page.querySelectorAll(names.map((name) => `.sl-markdown-content ${name}`).join())].filter(
      (found) => found.closest('[data-browser-only]') === null,
    ).length
  return {
    ids: [...page.querySelectorAll('[id]')].map(({ id }) => id),
    hrefs: [...page.querySelectorAll('a[href]')].map((link) => link.getAttribute('href') ?? ''),
    title: page.title,
    shown: {
      markdown:
        page.querySelector('link[rel=alternate][type="text/markdown"]')?.getAttribute('href') ??
        undefined,
      codes: count(['pre']),
      headings: count(['h2', 'h3']),
    },
  }
}

function reportPage(
  origin: string,
  path: string,
  { ids, hrefs, title, shown }: ReturnType<typeof readDocument>,
): PageReport {
  const resolve = (href: string) =>
    URL.canParse(href, origin + path) ? new URL(href, origin + path).href : href
  const { markdown } = shown
  const twice = new Set(ids.filter((id, index) => ids.indexOf(id) !== index))
  return {
    path,
    ids,
    hrefs: hrefs.map(resolve),
    shown: { ...shown, markdown: markdown === undefined ? undefined : resolve(markdown) },
    faults: [
      ...(twice.size > 0 ? [`${path} has an id twice: ${[...twice].join(', ')}`] : []),
      ...(title === '' ? [`${path} has no title`] : []),
    ],
  }
}

/** Runs in the page. */
function isReachable(): boolean {
  const shown = [...document.querySelectorAll('pre')].filter((pre) => pre.checkVisibility())
  return shown.every((pre) => pre.scrollWidth <= pre.clientWidth || pre.tabIndex === 0)
}

/** Runs in the page. */
function show(theme: Theme): void {
  document.documentElement.dataset['theme'] = theme
}

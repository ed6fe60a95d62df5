import { budgetFault } from '@farebox/testing/byte-budget'
import type { Browser } from 'playwright-core'
import { axeFaults, loadAxe } from './axe.js'
import { faultsOfDiagrams } from './faults-of-diagrams.js'
import { patienceMs } from './patience.js'
import { watch } from './watch.js'

/** A page of the site as a browser saw it. `bytes` counts all that it loads, not compressed. */
export type PageReport = {
  readonly path: string
  readonly ids: readonly string[]
  readonly hrefs: readonly string[]
  /** What its Markdown has to have too. */
  readonly shown: Shown
  readonly bytes: number
  /** How often axe looked at it. */
  readonly looks: number
  readonly faults: readonly string[]
}

/** The address of a page's Markdown, and how many blocks of code and headings the page shows. */
export type Shown = {
  readonly markdown: string | undefined
  readonly codes: number
  readonly headings: number
}

type Theme = 'dark' | 'light'

/** Of the heaviest page. */
const most = 363_472
const phone = 375

/**
 * Loads a page with an empty cache and looks at it in each theme, then on a phone: `withAxe` also
 * for what keeps people from reading it.
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
  const { ids, hrefs, title, shown } = await tab.evaluate(read)
  const twice = new Set(ids.filter((id, index) => ids.indexOf(id) !== index))
  if (twice.size > 0) faults.push(`${path} has an id twice: ${[...twice].join(', ')}`)
  if (title === '') faults.push(`${path} has no title`)

  const drawn = await tab.evaluate(faultsOfDiagrams)
  faults.push(...drawn.map((fault) => `${path} diagram ${fault}`))

  if (withAxe) await loadAxe(tab)
  const looks = [
    { name: 'dark', theme: 'dark', rules: 'everything' },
    { name: 'light', theme: 'light', rules: 'colours' },
    { name: 'phone', theme: 'light', rules: 'everything', width: phone },
  ] as const
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
  if (width > phone) faults.push(`${path} is ${width} pixels wide on a phone of ${phone}`)
  await context.close()
  return { path, ids, hrefs, shown, bytes: weight, looks: withAxe ? looks.length : 0, faults }
}

/** Runs in the page. */
function read() {
  const count = (selector: string): number =>
    [...document.querySelectorAll(`.sl-markdown-content ${selector}`)].filter(
      (found) => found.closest('[data-browser-only]') === null,
    ).length
  return {
    ids: [...document.querySelectorAll('[id]')].map(({ id }) => id),
    hrefs: [...document.querySelectorAll<HTMLAnchorElement>('a[href]')].map(({ href }) => href),
    title: document.title,
    shown: {
      markdown: document.querySelector<HTMLLinkElement>('link[rel=alternate][type="text/markdown"]')
        ?.href,
      codes: count('pre'),
      headings: count(':is(h2, h3)'),
    },
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

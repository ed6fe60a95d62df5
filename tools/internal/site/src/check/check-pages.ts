import { findBudgetFault } from '@farebox/testing/byte-budget'
import { createDocument } from '@mixmark-io/domino'
import type { Browser } from 'playwright-core'
import { findAxeFaults, loadAxe } from './axe.js'
import { patienceMs, watch } from './watch.js'

/** A page of the site. */
export type PageReport = {
  readonly path: string
  readonly ids: readonly string[]
  readonly hrefs: readonly string[]
  /** Its Markdown must have the same. */
  readonly shown: PageSummary
  /** Everything that it loads, uncompressed, if a browser opened it. */
  readonly bytes?: number
  readonly faults: readonly string[]
}

/** The address of a page's Markdown, and how many code blocks and headings the page shows. */
export type PageSummary = {
  readonly markdown: string | undefined
  readonly codes: number
  readonly headings: number
}

type Theme = 'dark' | 'light'

/** The budget of a page, in bytes. */
const most = 370_742
const phone = 375

/** How axe looks at a page. */
export type Look = {
  readonly name: string
  readonly theme: Theme
  readonly rules: 'everything' | 'colours'
  readonly width?: number
}

export const looks: readonly Look[] = [
  { name: 'dark', theme: 'dark', rules: 'everything' },
  { name: 'light', theme: 'light', rules: 'colours' },
  { name: 'phone', theme: 'light', rules: 'everything', width: phone },
]

/** Reads the HTML of a page. */
export async function readPage(origin: string, path: string): Promise<PageReport> {
  const response = await fetch(origin + path)
  return reportPage(origin, path, readDocument(createDocument(await response.text())))
}

/**
 * Loads a page with an empty cache and checks it, last on a phone, and its accessibility in each of
 * `looksOfAxe`.
 */
export async function checkPage(
  browser: Browser,
  origin: string,
  path: string,
  looksOfAxe: readonly Look[] = [],
): Promise<PageReport> {
  const context = await browser.newContext({ colorScheme: 'dark' })
  context.setDefaultTimeout(5 * patienceMs)
  const tab = await context.newPage()
  const { faults, bytes, silent } = await watch(tab, origin, path)
  // not networkidle: on a slow machine that comes before the page is parsed
  await tab.goto(origin + path, { waitUntil: 'load' })
  await silent()
  const weight = bytes()
  if (weight > most) faults.push(findBudgetFault({ what: path, most }, weight) ?? path)
  const report = reportPage(
    origin,
    path,
    await tab.evaluate(readDocument, await tab.evaluateHandle(() => document)),
  )
  const drawn = await tab.evaluate(findDiagramFaults)
  faults.push(...drawn.map((fault) => `${path} diagram ${fault}`))

  if (looksOfAxe.length > 0) await loadAxe(tab)
  for (const { name, theme, rules, width } of looksOfAxe) {
    if (width !== undefined) await tab.setViewportSize({ width, height: 800 })
    // the page makes scrolling code reachable by keyboard when it is idle
    await tab
      .waitForFunction(isReachable, undefined, { timeout: patienceMs })
      .catch(() => undefined)
    await tab.evaluate(show, theme)
    faults.push(...(await findAxeFaults(tab, rules)).map((text) => `${path} (${name}) axe ${text}`))
  }
  await tab.setViewportSize({ width: phone, height: 800 })
  const width = await tab.evaluate(() => document.documentElement.scrollWidth)
  if (width > phone) faults.push(`${path} is ${width} pixels wide on a phone of ${phone}`)
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
  const samples = [...document.querySelectorAll('pre')].filter((pre) => pre.checkVisibility())
  return samples.every((pre) => pre.scrollWidth <= pre.clientWidth || pre.tabIndex === 0)
}

/** Runs in the page. */
function show(theme: Theme): void {
  document.documentElement.dataset['theme'] = theme
}

/**
 * Runs in the page. Lists the edges of diagrams that pass through text, and the arrows that end at no
 * shape.
 */
function findDiagramFaults(): readonly string[] {
  type Point = { readonly x: number; readonly y: number }
  /** The largest distance of an arrow from its target, and the tolerated overlap with text. */
  const [near, overlap] = [7, 2]
  const outlines = 'rect, path, line, polygon'

  /** Points on the outline of a shape, three units apart. */
  function traceOutline(shape: SVGGeometryElement): readonly Point[] {
    const length = shape.getTotalLength()
    return Array.from({ length: Math.ceil(length / 3) + 1 }, (_, index) =>
      shape.getPointAtLength(Math.min(length, index * 3)),
    )
  }

  return [...document.querySelectorAll<SVGSVGElement>('figure.diagram svg')].flatMap((svg) => {
    const name = svg.querySelector('title')?.textContent ?? ''
    const shapes = [...svg.querySelectorAll<SVGGeometryElement>(outlines)].filter(
      (shape) => shape.closest('defs') === null,
    )
    const drawn = shapes.map((shape) => ({
      shape,
      points: traceOutline(shape),
      isArrow: shape.hasAttribute('marker-end'),
    }))

    const crossed = [...svg.querySelectorAll('text')].flatMap((text) => {
      const { x, y, width, height } = text.getBBox()
      const contains = (point: Point): boolean =>
        point.x > x + overlap &&
        point.x < x + width - overlap &&
        point.y > y + overlap &&
        point.y < y + height - 2 * overlap
      return drawn.some(({ points }) => points.some(contains))
        ? [`"${name}": an edge passes through "${text.textContent}"`]
        : []
    })
    const lost = drawn.flatMap(({ shape, points, isArrow }) => {
      const end = points.at(-1)
      if (!isArrow || end === undefined) return []
      const isReached = drawn.some(
        (other) =>
          !other.isArrow &&
          other.points.some((point) => Math.hypot(point.x - end.x, point.y - end.y) <= near),
      )
      return isReached ? [] : [`"${name}": the arrow ${shape.getAttribute('d')} ends at nothing`]
    })
    return [...crossed, ...lost]
  })
}

/**
 * Checks that each link within the site leads to a page or its Markdown, and each anchor to an
 * element. `checkMarkdown` checks the links of Markdown.
 */
export function checkLinks(pages: readonly PageReport[], origin: string): readonly string[] {
  const idsByPath = new Map(
    pages.flatMap(({ path, ids, shown: { markdown } }) => {
      const known = new Set(ids)
      return [path, ...(markdown === undefined ? [] : [new URL(markdown).pathname])].map(
        (name) => [name, known] as const,
      )
    }),
  )
  return pages.flatMap(({ path, hrefs }) => findBrokenLinks(path, hrefs, origin, idsByPath))
}

export function findBrokenLinks(
  path: string,
  hrefs: readonly string[],
  origin: string,
  idsByPath: ReadonlyMap<string, ReadonlySet<string>>,
): readonly string[] {
  return hrefs
    .flatMap((href) => checkLink(href, origin, idsByPath) ?? [])
    .map((fault) => `${path} links to ${fault}`)
}

function checkLink(
  href: string,
  origin: string,
  idsByPath: ReadonlyMap<string, ReadonlySet<string>>,
): string | undefined {
  if (!URL.canParse(href)) return `${href}, which is not a valid URL`
  const { origin: to, pathname, hash } = new URL(href)
  if (to !== origin) return undefined
  const ids = idsByPath.get(decodeURIComponent(pathname))
  if (ids === undefined) return `${pathname}, which does not exist`
  return hash.length > 1 && !ids.has(decodeURIComponent(hash.slice(1)))
    ? `${pathname}${hash}: no such anchor`
    : undefined
}

/**
 * Selects the first and the last page of each template. The pages of a folder share a template, except
 * lists of exports; each page outside of folders or below `reference/` has its own.
 */
export function selectTwoOfEachTemplate(paths: readonly string[], base: string): readonly string[] {
  const byTemplate = new Map<string, string[]>()
  for (const path of paths) {
    const template = findTemplate(path.slice(base.length))
    byTemplate.set(template, [...(byTemplate.get(template) ?? []), path])
  }
  return [...byTemplate.values()].flatMap((pages) => [
    ...new Set([...pages.slice(0, 1), ...pages.slice(-1)]),
  ])
}

function findTemplate(path: string): string {
  const [folder = '', ...rest] = path.split('/').filter((part) => part !== '')
  if (rest.length === 0 || folder === 'reference') return path
  return `${folder}/${rest[0]?.endsWith('-exports') ? '*-exports' : '*'}${'/*'.repeat(rest.length - 1)}`
}

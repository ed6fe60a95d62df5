import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { launchChromium } from '@farebox/testing/launch-chromium'
import { sampleCases } from '@farebox/testing/rounds'
import type { Browser, Page } from 'playwright-core'
import {
  checkLinks,
  checkPage,
  looks,
  type PageReport,
  readPage,
  selectTwoOfEachTemplate,
} from './check-pages.js'
import { checkMarkdown } from './check-markdown.js'
import { checkReference } from './reference/check-reference.js'
import { serveFolder } from './serve-folder.js'
import { docs } from '../folders.js'
import { patienceMs, watch } from './watch.js'

/** Several tabs at once, because each mostly waits for its network to be silent. */
const tabs = 4

/**
 * Checks the built site: links, anchors and Markdown of every page, the score for agents, the
 * search, and the reference against a local service. By default, a headless Chromium opens two pages
 * of each template and a fifth of the others, to check diagrams, weight, console and requests to
 * other hosts. It checks accessibility only on the former, each in one of the looks, because axe
 * takes most of the time. `base` is the path that the site was built for, with slashes around it.
 * Returns the exit code.
 */
export async function check(base: string, everyPage: boolean): Promise<number> {
  const folder = join(docs, 'dist')
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.html'))
    .map((path) => base + path.replace(/index\.html$/, ''))
    .toSorted()
  const withAxe = new Map(
    (everyPage ? paths : selectTwoOfEachTemplate(paths, base)).map((path, index) => {
      const first = index % looks.length
      return [
        path,
        everyPage ? looks : sampleCases([...looks.slice(first), ...looks.slice(0, first)]),
      ]
    }),
  )
  const others = paths.filter((path) => !withAxe.has(path))
  const opened = new Set([...withAxe.keys(), ...sampleCases(others)])
  const { origin, close } = await serveFolder(folder, base)
  const browser = await launchChromium()
  const pages: PageReport[] = []
  const faults: string[] = []
  try {
    const waiting = paths.values()
    const work = async (): Promise<void> => {
      for (const path of waiting)
        pages.push(
          await (opened.has(path)
            ? checkPage(browser, origin, path, withAxe.get(path))
            : readPage(origin, path)),
        )
    }
    await Promise.all(Array.from({ length: tabs }, work))
    faults.push(...pages.flatMap((page) => page.faults), ...checkLinks(pages, origin))
    faults.push(...(await checkMarkdown(pages, origin, base)))
    faults.push(...(await checkAgentScore(origin, base)))
    faults.push(...(await checkSearch(browser, origin, base, paths)))
    faults.push(...(await checkReference(browser, `${origin}${base}`)))
  } finally {
    await browser.close()
    close()
  }

  const [heaviest] = pages.toSorted(({ bytes: one = 0 }, { bytes: other = 0 }) => other - one)
  const links = pages.reduce((sum, { hrefs }) => sum + hrefs.length, 0)
  console.log(
    `${pages.length} pages, ${links} links; axe WCAG 2.2 AA on ${withAxe.size} of them in ${everyPage ? 'all' : 'one of'} ${looks.length} looks; ${opened.size} opened, heaviest ${heaviest?.path}: ${((heaviest?.bytes ?? 0) / 1000).toFixed(0)} kB`,
  )
  for (const fault of faults) console.log(`FAULT  ${fault}`)
  console.log(faults.length === 0 ? 'site: no faults' : `site: ${faults.length} faults`)
  return faults.length === 0 ? 0 : 1
}

/** The output of `afdocs`, the reference implementation of the Agent-Friendly Documentation Spec. */
type Report = {
  readonly results: readonly { readonly id: string; readonly status: string }[]
  readonly scoring: { readonly overall: number; readonly grade: string }
}

/** A static server cannot reach 100: one check needs content negotiation by `Accept`. */
const lowestScore = 90

/** Scores the site for agents, by the rubric of https://agentdocsspec.com. */
async function checkAgentScore(origin: string, base: string): Promise<readonly string[]> {
  const script = join(docs, 'node_modules/afdocs/bin/afdocs.mjs')
  const args = ['check', origin + base, '--format', 'json', '--score', '--quiet']
  const steady = ['--sampling', 'deterministic', '--request-delay', '0']
  // the exit code is also 1 after a failed check
  const { stdout } = await promisify(execFile)(process.execPath, [script, ...args, ...steady], {
    maxBuffer: 64 * 1024 * 1024,
  }).catch((error: { readonly stdout?: string; readonly message: string }) => {
    if (error.stdout?.startsWith('{') !== true) throw new Error(`afdocs failed: ${error.message}`)
    return { stdout: error.stdout }
  })
  const { results, scoring } = JSON.parse(stdout) as Report
  const { overall, grade } = scoring
  const failed = results.filter(({ status }) => status === 'fail').map(({ id }) => id)
  const without = failed.length === 0 ? '' : `; without ${failed.join(', ')}`
  console.log(`agentdocsspec.com: ${overall} of 100 (${grade})${without}`)
  return overall < lowestScore
    ? [`agentdocsspec.com gives ${overall}, expected at least ${lowestScore}${without}`]
    : []
}

/** Search terms, each with the page that must rank first. */
const questions = readEntries('search-questions.json')

/** The pages with additional search words. */
const pagesWithWords = readEntries('src/search-words.json').map(([page]) => page)

const shareOfFirsts = 0.9
const lowestRank = 3

/** Checks that the search finds the right page first, or in few cases second or third. */
async function checkSearch(
  browser: Browser,
  origin: string,
  base: string,
  paths: readonly string[],
): Promise<readonly string[]> {
  const tab = await browser.newPage()
  const { faults, silent } = await watch(tab, origin, 'search')
  const missing = pagesWithWords.filter((page) => !paths.includes(base + page))
  faults.push(...missing.map((page) => `search-words.json names ${page}, which does not exist`))
  await tab.goto(`${origin}${base}start/`, { waitUntil: 'load' })
  await silent()
  await tab.click('site-search .open')
  const lower: string[] = []
  for (const [words, page] of questions) {
    const results = await searchFor(tab, words)
    const rank = results.indexOf(base + page) + 1
    const fault = `search for "${words}" finds ${results.slice(0, lowestRank).join(', ')}, expected ${base}${page}`
    if (rank === 0 || rank > lowestRank) faults.push(fault)
    if (rank !== 1) lower.push(fault)
  }
  await tab.close()
  const firsts = questions.length - lower.length
  console.log(`search: the right page is first for ${firsts} of ${questions.length} questions`)
  return firsts < shareOfFirsts * questions.length ? [...new Set([...faults, ...lower])] : faults
}

function readEntries(file: string): readonly (readonly [string, string])[] {
  return Object.entries(
    JSON.parse(readFileSync(join(docs, file), 'utf8')) as Record<string, string>,
  )
}

/** Returns the addresses of the results, best first. */
async function searchFor(tab: Page, words: string): Promise<readonly string[]> {
  await tab.fill('site-search input', words)
  await tab
    .locator(`site-search ol[data-words="${words}"]`)
    .waitFor({ state: 'attached', timeout: patienceMs })
  return tab.evaluate(() =>
    [...document.querySelectorAll('site-search ol a')].map(
      (link) => link.getAttribute('href') ?? '',
    ),
  )
}

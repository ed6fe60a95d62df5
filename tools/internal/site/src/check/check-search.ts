import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { docs } from '../folders.js'
import { patienceMs, watch } from './watch.js'

/** Search terms, each with the page that must rank first. */
const questions = readEntries('search-questions.json')

/** The pages with additional search words. */
const pagesWithWords = readEntries('src/search-words.json').map(([page]) => page)

const shareOfFirsts = 0.9
const lowestRank = 3

/** Checks that the search finds the right page first, or in few cases second or third. */
export async function checkSearch(
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
    const found = await searchFor(tab, words)
    const rank = found.indexOf(base + page) + 1
    const fault = `search for "${words}" finds ${found.slice(0, lowestRank).join(', ')}, expected ${base}${page}`
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

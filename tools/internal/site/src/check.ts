import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { launchChromium } from '@farebox/testing/launch-chromium'
import { checkAgentScore } from './check/check-agent-score.js'
import { checkLinks } from './check/check-links.js'
import { checkMarkdown } from './check/check-markdown.js'
import { checkPage, type PageReport } from './check/check-page.js'
import { checkSearch } from './check/check-search.js'
import { twoOfEachTemplate } from './check/two-of-each-template.js'
import { checkReference } from './check/reference/check-reference.js'
import { serveFolder } from './check/serve-folder.js'
import { docs } from './folders.js'

/** Each waits half a second for a silent network, while others use the cores. */
const tabs = 4

/**
 * Looks at every page of the built site in a headless Chromium: links and anchors, diagrams,
 * accessibility in both themes and on a phone, weight, console, requests to other hosts, the page's
 * Markdown, its score for programs, the search, and the reference against a local service. axe, which takes most of the
 * time, looks at two pages of each template, unless at every page. `base` is the folder of a server
 * that the site was built for, with slashes around it. Returns the exit code.
 */
export async function check(base: string, everyPage: boolean): Promise<number> {
  const folder = join(docs, 'dist')
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.html'))
    .map((path) => base + path.replace(/index\.html$/, ''))
    .toSorted()
  const withAxe = new Set(everyPage ? paths : twoOfEachTemplate(paths, base))
  const { origin, close } = await serveFolder(folder, base)
  const browser = await launchChromium()
  const pages: PageReport[] = []
  const faults: string[] = []
  try {
    const waiting = paths.values()
    const work = async (): Promise<void> => {
      for (const path of waiting)
        pages.push(await checkPage(browser, origin, path, withAxe.has(path)))
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

  const [heaviest] = pages.toSorted((one, other) => other.bytes - one.bytes)
  const links = pages.reduce((sum, { hrefs }) => sum + hrefs.length, 0)
  const looks = Math.max(...pages.map((page) => page.looks))
  const weight =
    heaviest === undefined
      ? ''
      : `; heaviest ${heaviest.path}: ${(heaviest.bytes / 1000).toFixed(0)} kB`
  console.log(
    `${pages.length} pages, ${links} links; axe WCAG 2.2 AA on ${withAxe.size} of them in ${looks} looks${weight}`,
  )
  for (const fault of faults) console.log(`FAULT  ${fault}`)
  console.log(faults.length === 0 ? 'site: no faults' : `site: ${faults.length} faults`)
  return faults.length === 0 ? 0 : 1
}

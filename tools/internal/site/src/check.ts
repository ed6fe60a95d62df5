import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { launchChromium } from '@farebox/testing/launch-chromium'
import { sampleCases } from '@farebox/testing/rounds'
import { checkAgentScore } from './check/check-agent-score.js'
import { checkLinks } from './check/check-links.js'
import { checkMarkdown } from './check/check-markdown.js'
import { checkPage, looks, readPage, type PageReport } from './check/check-page.js'
import { checkSearch } from './check/check-search.js'
import { twoOfEachTemplate } from './check/two-of-each-template.js'
import { checkReference } from './check/reference/check-reference.js'
import { serveFolder } from './check/serve-folder.js'
import { docs } from './folders.js'

/** Each waits half a second for a silent network, while others use the cores. */
const tabs = 4

/**
 * Checks the built site: links, anchors and Markdown of every page, its score for programs, the
 * search, and the reference against a local service. A headless Chromium opens two pages of each
 * template and a fifth of the others, unless every page, for diagrams, weight, console and requests to
 * other hosts, and the former for accessibility in both themes and on a phone. `base` is the folder
 * of a server that the site was built for, with slashes around it. Returns the exit code.
 */
export async function check(base: string, everyPage: boolean): Promise<number> {
  const folder = join(docs, 'dist')
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.html'))
    .map((path) => base + path.replace(/index\.html$/, ''))
    .toSorted()
  const withAxe = new Set(everyPage ? paths : twoOfEachTemplate(paths, base))
  const others = paths.filter((path) => !withAxe.has(path))
  const opened = new Set([...withAxe, ...sampleCases(others)])
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
            ? checkPage(browser, origin, path, withAxe.has(path))
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
    `${pages.length} pages, ${links} links; axe WCAG 2.2 AA on ${withAxe.size} of them in ${looks.length} looks; ${opened.size} opened, heaviest ${heaviest?.path}: ${((heaviest?.bytes ?? 0) / 1000).toFixed(0)} kB`,
  )
  for (const fault of faults) console.log(`FAULT  ${fault}`)
  console.log(faults.length === 0 ? 'site: no faults' : `site: ${faults.length} faults`)
  return faults.length === 0 ? 0 : 1
}

import axe from 'axe-core'
import type { Page } from 'playwright-core'

/** Has a page ready for `axeFaults`. A policy for scripts does not concern what a debugger runs. */
export async function loadAxe(tab: Page): Promise<void> {
  await tab.evaluate(axe.source)
  await tab.evaluate(leaveOutRepeats)
}

/**
 * Runs in the page. Code is most of the text of many pages. A token has the contrast of an earlier
 * one of its block with the same attributes, in the same places.
 */
function leaveOutRepeats(): void {
  for (const block of document.querySelectorAll('pre')) {
    const looks = new Set<string>()
    for (const token of block.querySelectorAll('span:not(:has(*))')) {
      let look = ''
      for (
        let place: Element = token;
        place !== block && place.parentElement;
        place = place.parentElement
      )
        look += `${place.tagName} ${place.className} ${place.getAttribute('style')},`
      token.toggleAttribute('data-repeats', looks.has(look))
      looks.add(look)
    }
  }
  const inPage = Reflect.get(globalThis, 'axe') as typeof axe
  inPage.configure({
    noHtml: true,
    rules: [{ id: 'color-contrast', selector: ':not([data-repeats])' }],
  })
}

/** The rules of WCAG 2.2 AA, and those of them that depend on colours, as a theme does. */
const rulesOf = {
  everything: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
  colours: ['color-contrast', 'link-in-text-block'],
} as const

/** What axe finds against WCAG 2.2 AA in a page as it is now. */
export function axeFaults(
  tab: Page,
  what: keyof typeof rulesOf = 'everything',
): Promise<readonly string[]> {
  return tab.evaluate(runAxe, [...rulesOf[what]])
}

/** Runs in the page, where axe is a global. */
async function runAxe(runOnly: string[]): Promise<readonly string[]> {
  const inPage = Reflect.get(globalThis, 'axe') as typeof axe
  const results = await inPage.run(document, { runOnly, resultTypes: ['violations'] })
  return results.violations.map(({ id, nodes }) => {
    const [first] = nodes
    return `${id}: ${nodes.length} times, first ${first?.target.join(' ')}: ${first?.failureSummary?.split('\n')[1]?.trim()}`
  })
}

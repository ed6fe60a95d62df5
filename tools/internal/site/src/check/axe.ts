import axe from 'axe-core'
import type { Page } from 'playwright-core'

/** Prepares a page for `findAxeFaults`. Evaluated scripts are exempt from the page's CSP. */
export async function loadAxe(tab: Page): Promise<void> {
  await tab.evaluate(axe.source)
  await tab.evaluate(markRepeats)
}

/**
 * Runs in the page. Marks tokens of code that look like an earlier token of their block, because they
 * have the same contrast: code is most of the text on many pages.
 */
function markRepeats(): void {
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

/** The rules of WCAG 2.2 AA, and those of them that depend on the theme. */
const ruleSets = {
  everything: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
  colours: ['color-contrast', 'link-in-text-block'],
} as const

/** Lists the violations of WCAG 2.2 AA in the current state of a page. */
export function findAxeFaults(
  tab: Page,
  what: keyof typeof ruleSets = 'everything',
): Promise<readonly string[]> {
  return tab.evaluate(runAxe, [...ruleSets[what]])
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

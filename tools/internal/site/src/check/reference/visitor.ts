import type { Page } from 'playwright-core'
import { patienceMs } from '../patience.js'

/** What a reader does with the console of an operation's page. */
export type Visitor = {
  /** Follows the link of the sidebar, without loading a document. */
  readonly follow: (slug: string) => Promise<void>
  /** Presses a button, waits for the answer, and gives its first line. */
  readonly press: (button: string) => Promise<string>
  readonly text: (selector: string) => Promise<string>
  /** The steps of the trace, a line each. */
  readonly steps: () => Promise<readonly string[]>
}

export const submit = 'button[type=submit]'

/** `within` selects one of several consoles. */
export function visitor(tab: Page, within = 'main'): Visitor {
  const inConsole = (selector: string) =>
    tab.locator(`${within} farebox-console ${selector}`).first()
  const text = async (selector: string) =>
    ((await inConsole(selector).textContent()) ?? '').replaceAll(/\s+/g, ' ').trim()
  return {
    text,
    follow: async (slug) => {
      await tab.locator(`nav a[href$="/api/${slug}/"]`).first().click()
      await tab.waitForURL(`**/api/${slug}/`)
      await inConsole(submit).waitFor()
    },
    press: async (button) => {
      const calls = Number(await inConsole('output').getAttribute('data-calls'))
      await inConsole(button).click()
      await inConsole(`output[data-calls="${calls + 1}"]`).waitFor({
        state: 'attached',
        timeout: 2 * patienceMs,
      })
      return text('output p')
    },
    steps: async () => {
      const lines = await tab
        .locator('farebox-console .fbr-trace li')
        .evaluateAll((items) =>
          items.map((item) =>
            (item.querySelector('summary') ?? item).textContent.replaceAll(/\s+/g, ' ').trim(),
          ),
        )
      return lines.map((line) => line.replace(/ \d+ ms$/, ''))
    },
  }
}

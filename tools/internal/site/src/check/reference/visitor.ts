import type { Browser, BrowserContext, Page } from 'playwright-core'
import { patienceMs } from '../watch.js'

export type LocalService = { readonly origin: string; readonly adminKey: string }

/** The context of each part of the check, which adds its faults to the shared list. */
export type Visit = {
  readonly browser: Browser
  /** The address of the built site, with a trailing slash. */
  readonly site: string
  readonly service: LocalService
  readonly faults: string[]
}

/** The actions of a user of an operation's console. */
export type Visitor = {
  /** Follows a link of the sidebar, without loading a new document. */
  readonly follow: (slug: string) => Promise<void>
  /** Presses a button, waits for the response, and returns its first line. */
  readonly press: (button: string) => Promise<string>
  readonly text: (selector: string) => Promise<string>
  /** The steps of the trace, one line each. */
  readonly steps: () => Promise<readonly string[]>
}

export const submit = 'button[type=submit]'

/** `within` selects one of several consoles. */
export function createVisitor(tab: Page, within = 'main'): Visitor {
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

/** Collects a fault for each value that differs from the expected one. */
type Expect = (what: string, found: unknown, expected: RegExp | string) => void

export function createExpect(faults: string[], where: string): Expect {
  return (what, found, expected) => {
    const text = typeof found === 'string' ? found : JSON.stringify(found)
    const isSo = typeof expected === 'string' ? text === expected : expected.test(text)
    if (!isSo) faults.push(`${where}: ${what} is ${text}, expected ${String(expected)}`)
  }
}

/** Opens an empty browser context with a timeout for slow machines. */
export async function openContext(browser: Browser): Promise<BrowserContext> {
  const context = await browser.newContext()
  context.setDefaultTimeout(patienceMs)
  return context
}

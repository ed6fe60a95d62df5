import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { root } from '../folders.js'
import { patienceMs } from './patience.js'

/** A button, and what the output says after a click. */
type Press = { readonly button: string; readonly expected: RegExp }

/**
 * The console of the reference against a local service: a model without a credential, and speech
 * that a throw-away wallet pays for. Returns what went wrong.
 */
export async function checkConsole(browser: Browser, site: string): Promise<readonly string[]> {
  const data = mkdtempSync(join(tmpdir(), 'farebox-site-'))
  const args = [join(root, 'packages/service/dist/cli.js'), '--port', '0', '--data', join(data, 'ledger')]
  const service = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise((resolve) => service.once('exit', resolve))
  try {
    const origin = await listening(service)
    const tab = await browser.newPage()
    const submit = 'button[type=submit]'
    const faults = [
      ...(await press(tab, `${site}api/get-model/`, origin, [{ button: submit, expected: /^200 / }])),
      ...(await press(tab, `${site}api/create-speech/`, origin, [
        { button: submit, expected: /^402 / },
        { button: 'button.top-up', expected: /^200 / },
        { button: submit, expected: /^200 .*, as 0x/ },
      ])),
    ]
    const kept = await tab.evaluate(() => JSON.stringify([localStorage, sessionStorage, document.cookie]))
    if (/0x[0-9a-f]{40}|bearer|sign-in/i.test(kept)) faults.push(`the console keeps something: ${kept}`)
    await tab.close()
    return faults
  } finally {
    service.kill('SIGTERM')
    await ended
    rmSync(data, { recursive: true, force: true })
  }
}

async function press(tab: Page, page: string, origin: string, presses: readonly Press[]): Promise<readonly string[]> {
  await tab.goto(page, { waitUntil: 'networkidle' })
  await tab.fill('.console [name=origin]', origin)
  if (presses.length > 1) await tab.selectOption('.console [name=access]', 'wallet')
  for (const { button, expected } of presses) {
    await tab.click(`.console ${button}`)
    await tab.waitForFunction(() => document.querySelector('.console button:disabled') === null, undefined, { timeout: 2 * patienceMs })
    const found = await tab.textContent('.console output p')
    if (!expected.test(found ?? ''))
      return [`${new URL(page).pathname} console: ${button} gives ${JSON.stringify(found)}, expected ${String(expected)}`]
  }
  return []
}

function listening(service: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = ''
    service.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      const [, origin] = /listening on (http:\/\/[^\s/]+)/.exec(output) ?? []
      if (origin !== undefined) resolve(origin)
    })
    service.once('exit', (code) => reject(new Error(`The service ended with ${code}:\n${output}`)))
  })
}

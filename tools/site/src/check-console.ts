// The console of the reference against a local service: a model without a credential, and speech that a throw-away wallet pays for.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const command = fileURLToPath(new URL('../../service/dist/cli.js', import.meta.url))

/** What went wrong, if anything. @param {import('playwright-core').Browser} browser @param {string} site */
export async function checkConsole(browser, site) {
  const data = mkdtempSync(join(tmpdir(), 'farebox-site-'))
  const service = spawn(process.execPath, [command, '--port', '0', '--data', join(data, 'books')], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise((resolve) => service.once('exit', resolve))
  try {
    const origin = await listening(service)
    const tab = await browser.newPage()
    const faults = [
      ...(await press(tab, `${site}api/get-model/`, origin, [['button[type=submit]', /^200 /]])),
      ...(await press(tab, `${site}api/create-speech/`, origin, [
        ['button[type=submit]', /^402 /],
        ['button.top-up', /^200 /],
        ['button[type=submit]', /^200 .*, as 0x/],
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

/** @param {import('playwright-core').Page} tab @param {string} page @param {string} origin @param {readonly (readonly [string, RegExp])[]} presses */
async function press(tab, page, origin, presses) {
  await tab.goto(page, { waitUntil: 'networkidle' })
  await tab.fill('.console [name=origin]', origin)
  if (presses.length > 1) await tab.selectOption('.console [name=access]', 'wallet')
  for (const [button, expected] of presses) {
    await tab.click(`.console ${button}`)
    await tab.waitForFunction(() => !document.querySelector('.console button:disabled'), undefined, { timeout: 20_000 })
    const said = await tab.textContent('.console output p')
    if (!expected.test(said ?? ''))
      return [`${new URL(page).pathname} console: ${button} says ${JSON.stringify(said)}, expected ${expected}`]
  }
  return []
}

/** @param {import('node:child_process').ChildProcess} service @returns {Promise<string>} */
function listening(service) {
  return new Promise((resolve, reject) => {
    let output = ''
    service.stdout?.on('data', (chunk) => {
      output += chunk
      const [, origin] = /listening on (http:\/\/[^\s/]+)/.exec(output) ?? []
      if (origin !== undefined) resolve(origin)
    })
    service.once('exit', (code) => reject(new Error(`The service ended with ${code}:\n${output}`)))
  })
}

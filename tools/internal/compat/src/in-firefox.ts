import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundled } from './bundled.js'
import type { Outcomes } from './program.js'
import type { MatrixServer } from './server.js'

/** A Firefox of the machine, since no package on npm holds one. */
const binary = process.env['FIREFOX_BIN']

/** What keeps a new profile from pages and requests of its own. */
const preferences = {
  'app.normandy.enabled': false,
  'app.update.enabled': false,
  'browser.aboutwelcome.enabled': false,
  'browser.safebrowsing.downloads.remote.enabled': false,
  'browser.safebrowsing.malware.enabled': false,
  'browser.safebrowsing.phishing.enabled': false,
  'browser.startup.homepage_override.mstone': 'ignore',
  'datareporting.policy.dataSubmissionEnabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'services.settings.server': 'data:,',
  'toolkit.telemetry.server': '',
}

/** The major version, if there is one. */
export function firefoxVersion(): string | undefined {
  if (binary === undefined) return undefined
  return /(\d+)\./.exec(execFileSync(binary, ['--version'], { encoding: 'utf8' }))?.[1]
}

/**
 * Opens a page in a profile of its own. The page reports by itself, so that no protocol to drive
 * the browser is needed. Rejects if the browser ends before that.
 *
 * @param place where the profile may stand
 */
export async function inFirefox(
  place: string,
  server: MatrixServer,
  name: string,
): Promise<Outcomes> {
  mkdirSync(place, { recursive: true })
  const profile = mkdtempSync(join(place, 'firefox-'))
  writeFileSync(
    join(profile, 'user.js'),
    Object.entries(preferences).map(formatPreference).join(''),
  )
  const report = "await fetch('/page', { method: 'POST', body: JSON.stringify(outcomes) })"
  const script = await bundled(
    'browser',
    `const outcomes = await run(...${JSON.stringify([server.origin, name])})\n${report}`,
  )
  const { address, reported } = server.serve(script)
  const browser = spawn(
    binary ?? '',
    ['--headless', '--no-remote', '--profile', profile, address],
    {
      stdio: 'ignore',
      env: { ...process.env, HOME: profile },
    },
  )
  const ended = new Promise<never>((_, reject) => {
    browser.once('error', reject)
    browser.once('exit', (code) =>
      reject(new Error(`Firefox ended with ${code} before its page reported.`)),
    )
  })
  try {
    return JSON.parse(await Promise.race([reported, ended])) as Outcomes
  } finally {
    browser.kill('SIGKILL')
    await ended.catch(() => undefined)
    rmSync(profile, { recursive: true, force: true, maxRetries: 10 })
  }
}

function formatPreference([name, value]: readonly [string, unknown]): string {
  return `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)})\n`
}

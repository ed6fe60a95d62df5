// A headless Chromium out of npm, with the libraries that a bare Linux lacks. On another platform CHROMIUM_BIN names a browser that is there.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'

const folder = fileURLToPath(new URL('../node_modules/.cache/chromium', import.meta.url))

export function launchChromium() {
  const args = ['--no-sandbox', '--disable-background-networking']
  const given = process.env['CHROMIUM_BIN']
  if (given !== undefined) return chromium.launch({ executablePath: given, args })
  if (!existsSync(folder)) unpack()
  const env = { ...process.env, LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'), FONTCONFIG_PATH: join(folder, 'fonts') }
  return chromium.launch({ executablePath: join(folder, 'chromium'), args, env })
}

/** Aside first, so that nobody ever starts half a browser. The package unpacks into TMPDIR, its libraries only where it believes to be on Amazon Linux. */
function unpack() {
  mkdirSync(join(folder, '..'), { recursive: true })
  const aside = mkdtempSync(`${folder}-`)
  const script = `import chromium from '@sparticuz/chromium'; await chromium.executablePath()`
  const env = { ...process.env, TMPDIR: aside, AWS_EXECUTION_ENV: 'nodejs20.x' }
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    env,
    cwd: join(folder, '../../..'),
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`Chromium could not be unpacked: ${stderr}`)
  renameSync(aside, folder)
}

import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { chromium, type Browser } from 'playwright-core'

const require = createRequire(import.meta.url)
const cache = fileURLToPath(
  new URL('../../../../node_modules/.cache/farebox-chromium', import.meta.url),
)

/**
 * Launches a headless Chromium from npm, with the libraries that a bare Linux lacks. It installs
 * nothing on the machine. CHROMIUM_BIN names another browser, for platforms that the package does
 * not support. Its pages have the date of this process, also when `shift-date.cjs` moved it.
 */
export async function launchChromium(): Promise<Browser> {
  const browser = await launch()
  const { [Symbol.for('farebox.shift-date')]: shiftMs = 0 } = globalThis as {
    readonly [moved: symbol]: number | undefined
  }
  if (shiftMs === 0) return browser
  const newContext = browser.newContext.bind(browser)
  browser.newContext = async (options) => {
    const context = await newContext(options)
    await context.addInitScript(shiftDate, shiftMs)
    return context
  }
  return browser
}

async function launch(): Promise<Browser> {
  const args = ['--no-sandbox', '--disable-background-networking']
  const binary = process.env['CHROMIUM_BIN']
  if (binary !== undefined) return chromium.launch({ executablePath: binary, args })
  const folder = await unpackChromium()
  const env = {
    ...process.env,
    LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'),
    FONTCONFIG_FILE: await writeFontsConfig(folder),
  }
  return chromium.launch({ executablePath: join(folder, 'chromium'), args, env })
}

/** Runs in each page before its own scripts. */
function shiftDate(shiftMs: number): void {
  const realNow = Date.now
  Date.now = () => realNow() + shiftMs
  window.Date = new Proxy(Date, {
    construct: (target, given, newTarget) =>
      Reflect.construct(target, given.length === 0 ? [target.now()] : given, newTarget) as Date,
    apply: (target) => new target(target.now()).toString(),
  })
}

/** Unpacks aside and renames, so that no process starts half a browser. */
async function unpackChromium(): Promise<string> {
  if (existsSync(cache)) return cache
  await mkdir(join(cache, '..'), { recursive: true })
  const aside = await mkdtemp(`${cache}-`)
  const packed = pathToFileURL(require.resolve('@sparticuz/chromium')).href
  // the package unpacks into TMPDIR, its libraries only for Node on Amazon Linux
  const script = `import chromium from ${JSON.stringify(packed)}; await chromium.executablePath()`
  const env = { ...process.env, TMPDIR: aside, AWS_EXECUTION_ENV: 'nodejs20.x' }
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], { env })
  // another run may have been faster
  await rename(aside, cache).catch(async (error: unknown) => {
    await rm(aside, { recursive: true, force: true })
    if (!existsSync(cache)) throw error
  })
  return cache
}

/**
 * Writes a fonts.conf that names the unpacked fonts. The packed one names folders of another
 * machine, and Chromium crashes at the first letter when it finds no font. Each launch writes it
 * again, because a clone may have been moved.
 */
async function writeFontsConfig(folder: string): Promise<string> {
  const text = (path: string): string => path.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  const conf = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${text(join(folder, 'fonts'))}</dir>
  <cachedir>${text(join(folder, 'fonts-cache'))}</cachedir>
</fontconfig>
`
  const path = join(folder, 'farebox-fonts.conf')
  // aside and then renamed: another run may be reading it
  const aside = `${path}-${process.pid}-${performance.now()}`
  await writeFile(aside, conf)
  await rename(aside, path)
  return path
}

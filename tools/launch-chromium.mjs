// The one headless Chromium of tests, of the rehearsal of a release and of the check of the site.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { chromium } from 'playwright-core'

const require = createRequire(import.meta.url)
const cache = fileURLToPath(new URL('../node_modules/.cache/farebox-chromium', import.meta.url))

/**
 * A headless Chromium out of npm, with the libraries that a bare Linux lacks: nothing is installed on the machine. On another platform
 * CHROMIUM_BIN names a browser that is there.
 */
export async function launchChromium() {
  const args = ['--no-sandbox', '--disable-background-networking']
  const given = process.env['CHROMIUM_BIN']
  if (given !== undefined) return chromium.launch({ executablePath: given, args })
  const folder = await unpacked()
  const env = { ...process.env, LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'), FONTCONFIG_FILE: await fontsOf(folder) }
  return chromium.launch({ executablePath: join(folder, 'chromium'), args, env })
}

/** Unpacked aside and then renamed, so that nobody ever starts half a browser. */
async function unpacked() {
  if (existsSync(cache)) return cache
  await mkdir(join(cache, '..'), { recursive: true })
  const aside = await mkdtemp(`${cache}-`)
  const packed = pathToFileURL(require.resolve('@sparticuz/chromium')).href
  // the package unpacks into TMPDIR, its libraries only for Node on Amazon Linux
  const script = `import chromium from ${JSON.stringify(packed)}; await chromium.executablePath()`
  const env = { ...process.env, TMPDIR: aside, AWS_EXECUTION_ENV: 'nodejs20.x' }
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], { env })
  // another run may have been faster
  await rename(aside, cache).catch(async (error) => {
    await rm(aside, { recursive: true, force: true })
    if (!existsSync(cache)) throw error
  })
  return cache
}

/**
 * Names the fonts that were unpacked, and no others: the packed fonts.conf names folders of another machine, and a browser that finds no
 * font ends at the first letter. Written at each launch, since a clone may have been moved.
 */
async function fontsOf(/** @type {string} */ folder) {
  const text = (/** @type {string} */ path) => path.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
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

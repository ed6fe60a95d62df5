import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  access,
  mkdir,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { installPackages } from '@farebox/testing/install-package'

// Files that once broke a program, from Debian's sources, and what LibreOffice shows of them. Both
// are fetched with apt, and kept for the next run.

const run = promisify(execFile)
const folder = fileURLToPath(
  new URL('../../../node_modules/.cache/farebox-deep/documents/', import.meta.url),
)
const [sources, inputs, outputs] = ['sources', 'inputs', 'outputs'].map((name) =>
  join(folder, name),
) as [string, string, string]

export const kinds = ['docx', 'pptx', 'xlsx'] as const
export type Kind = (typeof kinds)[number]

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  )

/** Installs LibreOffice and poppler where they are missing. Needs root. */
function installPrograms(): Promise<void> {
  const parts = ['writer', 'calc', 'impress'].map((name) => `libreoffice-${name}-nogui`)
  return installPackages(['soffice', 'pdftotext', 'xz'], [...parts, 'poppler-utils', 'xz-utils'])
}

/** Downloads the sources and extracts the Office documents in them. */
async function fetchSources(): Promise<void> {
  if (await exists(join(sources, 'done'))) return
  const lists = join(folder, 'lists')
  const downloads = join(folder, 'downloads')
  for (const each of [join(lists, 'partial'), downloads, sources])
    await mkdir(each, { recursive: true })
  await writeFile(
    join(folder, 'sources.list'),
    'deb-src http://deb.debian.org/debian bookworm main\n',
  )
  const options = [
    `Dir::Etc::sourcelist=${join(folder, 'sources.list')}`,
    'Dir::Etc::sourceparts=/dev/null',
    `Dir::State::lists=${lists}`,
  ].flatMap((option) => ['-o', option])
  await run('apt-get', [...options, 'update'])
  const packages = ['source', '--download-only', 'libreoffice', 'libapache-poi-java']
  await run('apt-get', [...options, ...packages], { cwd: downloads, maxBuffer: 1e8 })
  for (const name of await readdir(downloads)) {
    if (!name.endsWith('.orig.tar.xz')) continue
    const patterns = kinds.map((kind) => `*.${kind}`)
    // tar reports a pattern that no file has
    await run('tar', [
      '-C',
      sources,
      '-xJf',
      join(downloads, name),
      '--wildcards',
      ...patterns,
    ]).catch(() => undefined)
  }
  await rm(downloads, { recursive: true })
  await writeFile(join(sources, 'done'), '')
}

/** Gives each document of a kind a name of its own. Equal files count once. */
async function listInputs(kind: Kind): Promise<readonly string[]> {
  await mkdir(inputs, { recursive: true })
  const names = new Map<string, string>()
  for (const entry of (await readdir(sources, { recursive: true })).toSorted()) {
    if (!entry.endsWith(`.${kind}`)) continue
    const path = join(sources, entry)
    const name = `${createHash('sha256')
      .update(await readFile(path))
      .digest('hex')
      .slice(0, 16)}.${kind}`
    if (names.has(name)) continue
    names.set(name, entry)
    if (!(await exists(join(inputs, name)))) await symlink(path, join(inputs, name))
  }
  return [...names.keys()]
}

const filters: Readonly<Record<Kind, string>> = {
  docx: 'pdf',
  pptx: 'pdf',
  // UTF-8 with tabs, cells as shown, each sheet in a file of its own
  xlsx: 'csv:Text - txt - csv (StarCalc):9,34,UTF8,1,,0,false,true,true,false,false,-1',
}

/** The longest time for one file, on a busy machine. */
const stallMs = 40_000

/**
 * Converts documents in one process of LibreOffice, which says a line for each of them. Gives how
 * many it is done with. One that stops it is the last of these.
 */
function convert(names: readonly string[], kind: Kind): Promise<number> {
  const profile = `-env:UserInstallation=file://${join(folder, 'profile')}`
  const options = [profile, '--headless', '--convert-to', filters[kind], '--outdir', outputs]
  const soffice = spawn('soffice', [...options, ...names.map((name) => join(inputs, name))], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // `soffice` is a script, so that the signal goes to its whole group
  const stop = () => soffice.pid !== undefined && process.kill(-soffice.pid, 'SIGKILL')
  let timer = setTimeout(stop, stallMs * 2)
  let loaded = 0
  let isStored = true
  const note = (chunk: Buffer) => {
    const lines = chunk.toString().match(/^convert |could not be loaded/gm) ?? []
    if (lines.length === 0) return
    loaded += lines.length
    isStored = lines.at(-1) !== 'convert '
    clearTimeout(timer)
    timer = setTimeout(stop, stallMs)
  }
  soffice.stdout.on('data', note)
  soffice.stderr.on('data', note)
  return new Promise((resolve, reject) => {
    soffice.on('error', reject)
    soffice.on('close', (code) => {
      clearTimeout(timer)
      if (code === 0) resolve(names.length)
      else
        findOutputs().then((done) => {
          const stored = isStored || done.has((names[loaded - 1] ?? '').slice(0, 16))
          resolve(stored ? loaded + 1 : loaded)
        }, reject)
    })
  })
}

async function findOutputs(): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, string[]>()
  for (const name of await readdir(outputs)) {
    const stem = name.slice(0, 16)
    found.set(stem, [...(found.get(stem) ?? []), name])
  }
  return found
}

/** What a sheet of a million rows shows. More is one formula repeated. */
const maxBytes = 20_000_000

async function emptyLarge(names: readonly string[]): Promise<void> {
  for (const name of names)
    if ((await stat(join(outputs, name))).size > maxBytes) await truncate(join(outputs, name))
}

/** A document with what LibreOffice shows of it. */
export type DocumentText = { readonly path: string; readonly text: string }

/** The documents of a kind that LibreOffice converts, every `step`th of them. */
export async function showDocuments(kind: Kind, step: number): Promise<readonly DocumentText[]> {
  await installPrograms()
  await fetchSources()
  await mkdir(outputs, { recursive: true })
  const names = (await listInputs(kind)).filter((_, at) => at % step === 0)
  const before = await findOutputs()
  let left = names.filter((name) => !before.has(name.slice(0, 16)))
  while (left.length > 0) {
    const count = await convert(left.slice(0, 200), kind)
    const done = await findOutputs()
    // LibreOffice shows nothing of these, and is not asked again
    await emptyLarge(left.slice(0, count).flatMap((name) => done.get(name.slice(0, 16)) ?? []))
    for (const name of left.slice(0, count))
      if (!done.has(name.slice(0, 16))) await writeFile(join(outputs, `${name}.none`), '')
    left = left.slice(count)
  }
  const done = await findOutputs()
  const shown: DocumentText[] = []
  for (const name of names) {
    const parts: string[] = []
    for (const output of done.get(name.slice(0, 16)) ?? []) {
      const path = join(outputs, output)
      if (output.endsWith('.csv')) parts.push(await readFile(path, 'utf8'))
      else if (output.endsWith('.pdf')) {
        const { stdout } = await run('pdftotext', ['-enc', 'UTF-8', path, '-'], { maxBuffer: 1e9 })
        parts.push(stdout)
      }
    }
    shown.push({ path: join(inputs, name), text: parts.join('\n') })
  }
  return shown
}

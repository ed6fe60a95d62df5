import { lstat, mkdir, open, readFile, readdir, rm, rmdir, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { sha256 } from '../document/read-input.js'

/** How the disk differs from the rendered files. Paths are relative to the root. */
export type Drift = {
  readonly different: readonly string[]
  readonly missing: readonly string[]
  /** Generated earlier. Files that others wrote into the same folder stay. */
  readonly stray: readonly string[]
}

/**
 * Generated files in pieces, by their paths relative to the root, and the directories that hold
 * nothing else.
 */
export type RenderedFiles = {
  readonly files: ReadonlyMap<string, readonly Uint8Array[]>
  readonly directories: readonly string[]
}

/** The same, with the hash of each file in place of its content. */
export type FileHashes = {
  readonly files: ReadonlyMap<string, string>
  readonly directories: readonly string[]
}

export function hashFiles({ files, directories }: RenderedFiles): FileHashes {
  return {
    files: new Map([...files].map(([path, pieces]) => [path, sha256(...pieces)])),
    directories,
  }
}

/** Compares files with the disk, whatever their line ends, without changing anything. */
export async function compare(root: string, { files, directories }: FileHashes): Promise<Drift> {
  const different: string[] = []
  const missing: string[] = []
  for (const [path, hash] of files) {
    const existing = await readBytes(resolve(root, path))
    if (existing === undefined) missing.push(path)
    else if (sha256(existing) !== hash && sha256(...splitLines(existing)) !== hash)
      different.push(path)
  }
  const found = (
    await Promise.all(directories.map((directory) => listFiles(root, directory)))
  ).flat()
  const others = found.filter((path) => !files.has(path))
  const generated = await Promise.all(others.map((path) => isGenerated(resolve(root, path))))
  return {
    different: different.sort(),
    missing: missing.sort(),
    stray: others.filter((_, index) => generated[index]).sort(),
  }
}

/** A file as it was written, if Git has made each line end CRLF: on Windows it does. */
function splitLines(bytes: Uint8Array): readonly Uint8Array[] {
  const pieces: Uint8Array[] = []
  let start = 0
  for (let at = bytes.indexOf(0x0d); at !== -1; at = bytes.indexOf(0x0d, at + 1))
    if (bytes[at + 1] === 0x0a) {
      pieces.push(bytes.subarray(start, at))
      start = at + 1
    }
  return [...pieces, bytes.subarray(start)]
}

/** What code and pages of this generator say about their origin. */
const marks = [
  ' emitter of farebox-codegen from ',
  '<meta name="generator" content="farebox-codegen"',
]

/** Whether a file says that it is generated, or is empty. A link is not. */
async function isGenerated(path: string): Promise<boolean> {
  try {
    if (!(await lstat(path)).isFile()) return false
    const start = await readStart(path)
    return start === '' || marks.some((mark) => start.includes(mark))
  } catch {
    return false
  }
}

async function readStart(path: string): Promise<string> {
  const file = await open(path)
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(1024))
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await file.close()
  }
}

/** A file cannot be written. The message names the file and the reason. */
export class WriteError extends Error {
  override readonly name = 'WriteError'
}

/**
 * Writes changed and missing files and removes stray ones. Unchanged files keep their modification
 * time. Throws a `WriteError` at the first file that cannot be written; the next run continues from
 * there.
 */
export async function write(root: string, rendered: RenderedFiles, drift: Drift): Promise<void> {
  for (const path of [...drift.different, ...drift.missing]) {
    await attempt(path, async () => {
      await mkdir(dirname(resolve(root, path)), { recursive: true })
      await writeFile(resolve(root, path), rendered.files.get(path) ?? [])
    })
  }
  for (const path of drift.stray) {
    await attempt(path, () => rm(resolve(root, path)))
    await removeEmpty(root, dirname(path), rendered.directories)
  }
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'no permission',
  EEXIST: 'a file is in the way of the folder',
  EISDIR: 'a folder is in the way',
  ENAMETOOLONG: 'the path is too long',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a file is in the way of the folder',
  EPERM: 'no permission',
  EROFS: 'the disk is read-only',
}

async function attempt(path: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    const code =
      error instanceof Error && 'code' in error && typeof error.code === 'string'
        ? error.code
        : 'unknown'
    throw new WriteError(
      `${path} cannot be written: ${reasons[code] ?? `the system reports ${code}`}.`,
      { cause: error },
    )
  }
}

export function isClean({ different, missing, stray }: Drift): boolean {
  return different.length + missing.length + stray.length === 0
}

async function removeEmpty(
  root: string,
  directory: string,
  owned: readonly string[],
): Promise<void> {
  if (owned.includes(directory)) return
  try {
    await rmdir(resolve(root, directory))
  } catch {
    // not empty, or already gone
  }
}

async function listFiles(root: string, directory: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(resolve(root, directory), { withFileTypes: true })
    const found = entries.map((entry) =>
      entry.isDirectory()
        ? listFiles(root, `${directory}/${entry.name}`)
        : Promise.resolve([`${directory}/${entry.name}`]),
    )
    return (await Promise.all(found)).flat()
  } catch {
    return []
  }
}

export async function readBytes(path: string): Promise<Uint8Array | undefined> {
  try {
    return await readFile(path)
  } catch {
    return undefined
  }
}

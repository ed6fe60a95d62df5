import { createWriteStream } from 'node:fs'
import { realpath, rename, rm, stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { UsageError } from '@farebox/command-line'
import { readUsage, formatUsageFile } from '../domain/usage/usage-report.js'
import { openDatabase } from '../platform/database/open-database.js'
import { readErrorCode } from '../platform/unknown-value.js'
import { requireDatabase } from './require-database.js'
import type { UsageSettings } from './settings/report-settings.js'
import { type Settings, toStorageOptions } from './settings/settings.js'

/**
 * Writes a usage report without changing the database. A file is replaced once the report is
 * complete.
 */
export async function reportUsage(settings: Settings, usage: UsageSettings): Promise<number> {
  requireDatabase(settings)
  const database = await openDatabase({
    ...toStorageOptions(settings),
    unhurried: true,
    oneSession: true,
  })
  try {
    const content = Readable.from(
      formatUsageFile(usage.format, usage.by, readUsage(database, usage)),
    )
    if (usage.file === '-')
      await pipeline(content, process.stdout, { end: false }).catch((error: unknown) => {
        // its reader has enough
        if (readErrorCode(error) !== 'EPIPE') throw error
      })
    else await writeWhole(usage.file, content)
    return 0
  } finally {
    await database.close()
  }
}

/** A device or a pipe, such as /dev/stdout, is written directly; no file may take its place. */
async function writeWhole(file: string, content: Readable): Promise<void> {
  const target = await realpath(file).catch(() => file)
  const isPlain = await stat(target).then(
    (found) => found.isFile(),
    () => true,
  )
  const part = isPlain ? `${target}.${process.pid}.part` : target
  try {
    await pipeline(content, createWriteStream(part))
    if (isPlain) await rename(part, target)
  } catch (error) {
    if (isPlain) await rm(part, { force: true })
    const code = readErrorCode(error)
    if (typeof code !== 'string' || !/^E[A-Z]+$/.test(code)) throw error
    throw new UsageError(
      `--output: ${file} cannot be written: ${code}. Give a file in a folder that you may write to.`,
      { cause: error },
    )
  }
}

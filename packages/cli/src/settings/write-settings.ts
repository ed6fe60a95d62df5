import { mkdir, open, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { CommandError } from '../command.js'
import { openOutput } from '../io/output-file.js'
import type { Settings } from './settings.js'

/**
 * Creates the configuration, which only the user can read. Throws `CommandError` if the file exists, or
 * cannot be written.
 */
export async function createSettings(path: string, settings: Settings): Promise<void> {
  await createSecretFile(path, formatSettings(settings), advice)
}

const advice = 'Check it with farebox whoami --check, or choose another with --config.'

/** The error for a file that would be overwritten. */
export function createExistsError(path: string, what = advice): CommandError {
  return new CommandError('exists', `${path} already exists, and is not overwritten. ${what}`)
}

/** Replaces a configuration that was read, in one step: a reader sees the old or the new one. */
export async function replaceSettings(path: string, settings: Settings): Promise<void> {
  const file = await openOutput(path, 0o600)
  try {
    await file.write(formatSettings(settings))
  } finally {
    await file.abandon()
  }
}

/**
 * Creates a file that only the user can read, and its folders. Never overwrites a file, not even
 * one that another process creates at the same time. Throws `CommandError`.
 */
export async function createSecretFile(path: string, text: string, remedy: string): Promise<void> {
  const fail = (error: NodeJS.ErrnoException): never => {
    if (error.code === 'EEXIST') throw createExistsError(path, remedy)
    throw new CommandError(
      'not_written',
      `${path} cannot be written (${error.code ?? error.message}). Check its folder and permissions.`,
    )
  }
  await mkdir(dirname(path), { recursive: true, mode: 0o700 }).catch(fail)
  const file = await open(path, 'wx', 0o600).catch(fail)
  try {
    await file.writeFile(text)
    // a secret that is lost in a power failure cannot be restored
    await file.sync()
  } catch (error) {
    await rm(path, { force: true })
    fail(error as NodeJS.ErrnoException)
  } finally {
    await file.close()
  }
}

function formatSettings(settings: Settings): string {
  return `${JSON.stringify(settings, undefined, 2)}\n`
}

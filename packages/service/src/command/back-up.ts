import {
  readBackup,
  writeBackup,
  BackupError,
  type BackupHead,
  describeRecoveryPoint,
} from '../domain/backup/backup-file.js'
import { readDatabase } from '../domain/backup/read-database.js'
import { checkBackup, isNewest, restoreBackup } from '../domain/backup/restore-backup.js'
import { connectToFolder } from '../platform/database/folder-socket.js'
import { openDatabase } from '../platform/database/open-database.js'
import { readLines } from '../platform/line-file.js'
import { print } from './print.js'
import { requireDatabase } from './require-database.js'
import { type Settings, toStorageOptions } from './settings/settings.js'

/** Backs up the database into the file, also while the service runs. `-` is stdout. */
export async function backUp(settings: Settings): Promise<number> {
  const { file, lines, close } = await openSource(settings)
  try {
    const say = file === '-' ? (text: string) => void process.stderr.write(`${text}\n`) : print
    const head = await writeBackup(lines, file === '-' ? process.stdout : file)
    say(
      `${file === '-' ? 'Backed up.' : `Backed up to ${file}.`} ${describeRecoveryPoint(head.point)}`,
    )
    for (const note of describePoint(head)) say(note)
    return 0
  } finally {
    await close()
  }
}

type Source = {
  readonly file: string
  readonly lines: AsyncIterable<string>
  readonly close: () => Promise<void>
}

/** If a process holds the folder, it reads the database for us. */
async function openSource(settings: Settings): Promise<Source> {
  const { file, data, databaseUrl } = settings
  const holder = databaseUrl === undefined ? await connectToFolder(data) : undefined
  if (holder)
    return {
      file,
      lines: readLines(explainAbortedBackup(holder, data)),
      close: async () => undefined,
    }
  requireDatabase(settings)
  const database = await openDatabase({
    ...toStorageOptions(settings),
    unhurried: true,
    oneSession: true,
  })
  return { file, lines: readDatabase(database), close: database.close }
}

async function* explainAbortedBackup(
  holder: AsyncIterable<Uint8Array>,
  folder: string,
): AsyncGenerator<Uint8Array> {
  try {
    yield* holder
  } catch (cause) {
    throw new BackupError(
      `The process that uses the folder ${folder} aborted the backup. Its log may say why. Try again.`,
      { cause },
    )
  }
}

/** Tells an operator what is needed to use the backup. */
function describePoint({ point }: BackupHead): readonly string[] {
  const pepper = point.hasPepper
    ? 'It contains the secret for the hashes of API keys'
    : 'API keys need the current FAREBOX_KEY_PEPPER, which it does not contain'
  const videos =
    point.videos === 0
      ? []
      : [
          `${point.videos} finished videos are not in it: their callers must download them from this service.`,
        ]
  return [
    `${pepper}. It contains accounts, payments, and prompts and media of queued videos, and is not encrypted: protect it like the database.`,
    ...videos,
  ]
}

/**
 * Restores a backup into an empty database, and audits it. Resolves to 1 if the audit finds a
 * difference.
 */
export async function restore(settings: Settings): Promise<number> {
  const { file } = settings
  const lines = () => readBackup(file)
  const head = await checkBackup(lines)
  const database = await openDatabase({
    ...toStorageOptions(settings),
    unhurried: true,
    isBare: !isNewest(head),
  })
  try {
    const faults = await restoreBackup(database, head, lines)
    for (const { account, fault } of faults) process.stderr.write(`${account}: ${fault}\n`)
    print(`Restored ${file}. ${describeRecoveryPoint(head.point)}`)
    print(
      faults.length === 0
        ? 'The ledger is consistent.'
        : `The audit found ${faults.length} differences in the backup.`,
    )
    return faults.length === 0 ? 0 : 1
  } finally {
    await database.close()
  }
}

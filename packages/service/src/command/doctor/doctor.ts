import type { Arguments, Environment } from '@farebox/command-line'
import { folderAnswers } from '../../platform/database/folder-socket.js'
import { describeError, StorageError } from '../../platform/database/storage-error.js'
import type { FlagName } from '../settings/program.js'
import type { Settings } from '../settings/settings.js'
import { checkFacilitator, checkOrigin, checkUpstreams } from './check-peers.js'
import { checkSettings, checkCatalogue } from './check-settings.js'
import { checkDatabase, checkFolder, checkSpace } from './check-storage.js'
import { failed, type Finding, realSources, type Sources } from './finding.js'

/**
 * Checks everything that the service needs, without a change to any of it, and prints one line for
 * each check. Resolves to 1 when one failed. Prints no secret.
 */
export async function doctor(
  given: Arguments<FlagName>,
  environment: Environment,
  out: (line: string) => void,
  sources = realSources,
): Promise<number> {
  const findings = await examine(given, environment, sources)
  const isWell = findings.every(({ mark }) => mark !== 'failed')
  if (given.has('json')) out(JSON.stringify({ ok: isWell, checks: findings }, undefined, 2))
  else for (const finding of findings) out(formatFinding(finding))
  return isWell ? 0 : 1
}

async function examine(
  given: Arguments<FlagName>,
  environment: Environment,
  sources: Sources,
): Promise<readonly Finding[]> {
  const { settings, findings } = checkSettings(given, environment)
  if (settings === undefined) return findings
  const others = [
    unfailing('data-folder', async () => checkStorage(settings, sources)),
    unfailing('origin', async () => [
      { check: 'origin', ...(await checkOrigin(settings, sources)) },
    ]),
    unfailing('catalogue', async () => checkCatalogue(settings)),
    unfailing('upstreams', () => checkUpstreams(settings, environment, sources)),
    unfailing('facilitator', () => checkFacilitator(settings, environment, sources)),
  ]
  return [...findings, ...(await Promise.all(others)).flat()]
}

async function checkStorage(settings: Settings, sources: Sources): Promise<readonly Finding[]> {
  try {
    if (settings.databaseUrl === undefined) await folderAnswers(settings.data)
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
    return [{ check: 'data-folder', ...failed(error.message, 'The service does not start on it.') }]
  }
  const folder = checkFolder(settings)
  const found: readonly Finding[] = [{ check: 'data-folder', ...folder }]
  if (folder.mark === 'failed') return found
  const database = unfailing('database', () => checkDatabase(settings, sources))
  return [...found, { check: 'free-space', ...checkSpace(settings) }, ...(await database)]
}

/** A check that crashes is a finding too. */
async function unfailing(
  check: string,
  look: () => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return await look()
  } catch (error) {
    return [
      { check, ...failed(describeError(error), 'Run it again, and report it if it stays so.') },
    ]
  }
}

const widest = 'facilitator-clock'.length

function formatFinding({ check, mark, found, advice }: Finding): string {
  return `${mark.padEnd('skipped'.length)}  ${check.padEnd(widest)}  ${found}${advice === undefined ? '' : ` -> ${advice}`}`
}

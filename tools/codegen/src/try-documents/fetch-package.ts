import { execFile } from 'node:child_process'
import { mkdir, rename, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Packages with large or unusual documents. They are too large for the lock file. */
export const packages = [
  '@octokit/openapi@23.0.2',
  '@octokit/openapi-webhooks@12.1.0',
  '@blockfrost/openapi@0.1.93',
  '@digdir/dialogporten-schema@1.40.0',
  '@directus/specs@15.2.0',
  '@figma/rest-api-spec@0.43.0',
  'rclone-openapi@1.75.0',
  '@scalar/galaxy@0.2.20',
  '@redotech/redo-api-schema@2.2.693',
  '@dcl/catalyst-api-specs@3.8.0',
  'openapi-to-graphql@3.0.7',
  'openapi-examples-validator@7.1.0',
]

/** Fetches a package from npm, once, without its dependencies. None of its code runs. */
export async function fetchPackage(name: string, cache: string): Promise<string> {
  const folder = join(cache, name.replaceAll('/', '+'))
  if (await stat(folder).catch(() => undefined)) return folder
  const part = `${folder}.part`
  await rm(part, { recursive: true, force: true })
  await mkdir(part, { recursive: true })
  const { stdout } = await run('npm', ['pack', name, '--silent', '--pack-destination', part], {
    maxBuffer: 1e8,
  })
  await run('tar', ['xzf', join(part, basename(stdout.trim())), '-C', part])
  await rename(part, folder)
  return folder
}

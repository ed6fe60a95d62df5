import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { runGit, VersionError } from '../versions/read-version.js'
import type { Owner } from './owners.js'

/**
 * The commit that last set the version of one of the packages, which is the last release or the
 * first version. Undefined if no commit set one and there is no release.
 *
 * @throws VersionError if there is a release, but the history does not reach back to it.
 */
export async function findLastRelease(
  cwd: string,
  owners: readonly Owner[],
): Promise<string | undefined> {
  const isShallow = await runGit(cwd, 'rev-parse', '--is-shallow-repository').catch(() => undefined)
  if (isShallow === undefined)
    throw new VersionError(
      'There is no git repository here, and so no release to compare with. Name a file to compare with: --check BASE.',
    )
  const manifests = owners.map(({ manifest }) => manifest)
  const commits = await runGit(cwd, 'log', '--format=%H', '--', ...manifests).catch(() => '')
  for (const commit of commits.split('\n').filter((line) => line !== '')) {
    const set = await Promise.all(
      manifests.map(async (manifest) => setsVersion(cwd, commit, manifest)),
    )
    if (!set.includes(true)) continue
    if (isShallow === 'true' && (await isShallowAt(cwd, commit)))
      throw new VersionError(
        `The history of this clone begins at ${commit.slice(0, 12)}, so that the last release is not in it. Fetch all of it: git fetch --unshallow`,
      )
    return commit
  }
  const trace = await findReleaseTrace(cwd, owners)
  if (trace === undefined) return undefined
  throw new VersionError(
    `${trace} records a release, but no commit set a version in ${manifests.join(' or ')}. Name what was released: --check BASE.`,
  )
}

/** Compares values, since a manifest may be reformatted. */
async function setsVersion(cwd: string, commit: string, manifest: string): Promise<boolean> {
  const [before, after] = await Promise.all([
    readVersionAt(cwd, `${commit}^`, manifest),
    readVersionAt(cwd, commit, manifest),
  ])
  return after !== undefined && before !== after
}

async function readVersionAt(cwd: string, revision: string, manifest: string): Promise<unknown> {
  const text = await runGit(cwd, 'show', `${revision}:./${manifest}`).catch(() => undefined)
  try {
    return text === undefined
      ? undefined
      : (JSON.parse(text) as { readonly version?: unknown }).version
  } catch {
    return undefined
  }
}

/** Whether the clone is shallow at a commit. */
async function isShallowAt(cwd: string, commit: string): Promise<boolean> {
  const [, ...parents] =
    (await runGit(cwd, 'cat-file', '-p', commit))
      .split('\n\n', 1)[0]
      ?.match(/^(?:tree|parent) .*$/gm) ?? []
  return (
    parents.length > 0 &&
    (await runGit(cwd, 'rev-parse', '--verify', '--quiet', `${commit}^`).catch(() => undefined)) ===
      undefined
  )
}

/** A changelog or a tag, which only a release creates. */
async function findReleaseTrace(
  cwd: string,
  owners: readonly Owner[],
): Promise<string | undefined> {
  const changelog = owners
    .map(({ manifest }) => join(dirname(manifest), 'CHANGELOG.md'))
    .find((path) => existsSync(join(cwd, path)))
  if (changelog !== undefined) return changelog
  const [tag] = (await runGit(cwd, 'tag', '--list'))
    .split('\n')
    .filter((line) => /\d+\.\d+/.test(line))
  return tag === undefined ? undefined : `The tag ${tag}`
}

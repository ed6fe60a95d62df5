import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runs } from './commands.js'

const title = 'Follow the contract'

/** Pushes the branch to origin, and opens its pull request or brings that up to date. */
export async function openPullRequest(cwd: string, branch: string, body: string): Promise<void> {
  await runs(cwd, 'git', 'push', '--quiet', '--force', 'origin', branch)
  const folder = await mkdtemp(join(tmpdir(), 'farebox-follow-'))
  try {
    const file = join(folder, 'body.md')
    await writeFile(file, body)
    const open = (...given: readonly string[]) =>
      runs(cwd, 'gh', 'pr', ...given, '--title', title, '--body-file', file)
    await open('create', '--head', branch).catch(() => open('edit', branch))
  } finally {
    await rm(folder, { recursive: true })
  }
}

import { run } from './commands.js'

/** Installs Debian packages unless all of these programs are there. Needs root. */
export async function installPackages(
  programs: readonly string[],
  packages: readonly string[],
): Promise<void> {
  const areThere = await run('which', programs).then(
    () => true,
    () => false,
  )
  if (areThere) return
  await run('apt-get', ['update'])
  await run('apt-get', ['install', '-y', '--no-install-recommends', ...packages])
}

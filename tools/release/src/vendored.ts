// A repository that vendors the contract, from its first commit to a release that follows a changed contract: the files and commands of the
// site's guide, as they stand there.
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { run } from './command.mjs'

const samples = fileURLToPath(new URL('../../packages/docs/samples/vendored-spec/', import.meta.url))

/**
 * Does it in `folder`, with `contract` served as the one to vendor: by hand first, then as the workflow does it. Gives what a reader of the
 * guide sees. Folders beside `folder` stand for the host of the repository.
 * @param {{ readonly folder: string, readonly contract: any, readonly env: NodeJS.ProcessEnv }} options
 */
export async function followContract({ folder, contract, env }) {
  const upstream = await serveContract(contract)
  const host = hostOf(folder)
  const path = [host.commands, env.PATH ?? process.env.PATH].join(delimiter)
  const inFolder = { cwd: folder, env: { ...env, ...author, PATH: path, RUNNER_TEMP: host.folder, FAREBOX_ORIGIN: upstream.origin } }
  const sample = (/** @type {string} */ name) => run('bash', ['-euo', 'pipefail', join(samples, name)], inFolder)
  const refused = (/** @type {string} */ script) => run('npm', ['run', script], inFolder).then(() => 'nothing', String)
  try {
    mkdirSync(folder, { recursive: true })
    for (const name of ['package.json', 'tsconfig.json']) copyFileSync(join(samples, name), join(folder, name))
    execFileSync('git', ['init', '--quiet', '--initial-branch=main'], { cwd: folder })
    await sample('start.sh')

    upstream.change(({ ParsedText, CreateApiKeyRequest }) => {
      ParsedText.properties.pages = { type: 'integer', description: 'How many pages the document has.' }
      CreateApiKeyRequest.properties.description.maxLength = 32
    })
    await run('npm', ['run', 'update'], inFolder)
    const withoutGenerating = await refused('check')
    const changes = await sample('change.sh')
    const [changeset = ''] = readdirSync(join(folder, '.changeset')).filter((name) => name.endsWith('.md'))
    rmSync(join(folder, '.changeset', changeset))
    const withoutChangeset = await refused('check')
    execFileSync('git', ['checkout', '--quiet', '.changeset'], { cwd: folder })
    await sample('release.sh')

    upstream.change(({ ParsedText }) => {
      ParsedText.properties.title = { type: 'string', description: 'What the document calls itself.' }
    })
    execFileSync('git', ['remote', 'add', 'origin', host.repository], { cwd: folder })
    for (const command of [...commandsOfJob('follow'), ...commandsOfJob('check')])
      await run('bash', ['-eo', 'pipefail', '-c', command], inFolder)
    return {
      pullRequest: readFileSync(host.pullRequest, 'utf8'),
      pushed: execFileSync('git', ['log', '-1', '--format=%s', 'follow-the-contract'], { cwd: host.repository, encoding: 'utf8' }).trim(),
      withoutGenerating,
      changes,
      withoutChangeset,
      version: JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version,
      changelog: readFileSync(join(folder, 'CHANGELOG.md'), 'utf8'),
    }
  } finally {
    upstream.stop()
  }
}

/**
 * The commands of a job of the workflow, as the runner would run them: one after the other, each in a shell of its own.
 * @param {string} name
 * @returns {readonly string[]}
 */
function commandsOfJob(name) {
  const { jobs } = parse(readFileSync(join(samples, 'spec.yml'), 'utf8'))
  return jobs[name].steps.flatMap((/** @type {{ readonly run?: string }} */ step) => step.run ?? [])
}

const author = Object.fromEntries(
  ['AUTHOR', 'COMMITTER'].flatMap((role) => [
    [`GIT_${role}_NAME`, 'Harbour'],
    [`GIT_${role}_EMAIL`, 'harbour@example.test'],
  ]),
)

/** Where the workflow pushes to, and a `gh` that keeps what it is told. */
function hostOf(/** @type {string} */ repository) {
  const folder = `${repository}-host`
  const commands = join(folder, 'bin')
  const pullRequest = join(folder, 'pull-request.txt')
  mkdirSync(commands, { recursive: true })
  const gh = `#!/bin/sh\necho "gh $*" > '${pullRequest}'\nwhile [ $# -gt 0 ]; do [ "$1" = --body-file ] && cat "$2" >> '${pullRequest}'; shift; done\n`
  writeFileSync(join(commands, 'gh'), gh, { mode: 0o755 })
  execFileSync('git', ['init', '--quiet', '--bare', join(folder, 'repository.git')])
  return { folder, commands, pullRequest, repository: join(folder, 'repository.git') }
}

/** A contract that can change. */
async function serveContract(/** @type {any} */ contract) {
  const served = structuredClone(contract)
  const server = createServer((_request, response) =>
    response.setHeader('content-type', 'application/json').end(JSON.stringify(served, undefined, 2)),
  )
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const change = (/** @type {(schemas: any) => void} */ edit) => edit(served.components.schemas)
  return { origin: `http://127.0.0.1:${port}`, change, stop: () => server.close() }
}

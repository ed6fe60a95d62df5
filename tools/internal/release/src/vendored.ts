// A repository that vendors the contract, from its first commit to a release that follows a changed
// contract. The files and the commands are those of the site's guide.
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { delimiter, join } from 'node:path'
import { run } from '@farebox/testing/commands'
import { startListening } from '@farebox/testing/start-listening'
import { root } from './root.js'
import { listJobCommands, type Command } from './workflow-commands.js'

const samples = join(root, 'packages/docs/samples/vendored-spec')
const workflow = join(samples, 'spec.yml')

/** The steps of the guide, from the first commit to the workflow's pull request. */
export type GuideOutputs = {
  readonly withoutGenerating: string
  readonly changes: string
  readonly withoutChangeset: string
  readonly version: string
  readonly changelog: string
  /** The commits of the workflow's branch, the first one first. */
  readonly pushed: readonly string[]
  /** The consumer's code on that branch. */
  readonly fixed: string
  readonly pullRequest: string
  /** The check of the pull request, whose code does not compile. */
  readonly broken: string
}

export type FollowOptions = {
  /** Folders beside it stand for the host of the repository. */
  readonly folder: string
  /** The contract to vendor, as it is served. */
  readonly contract: unknown
  readonly env: NodeJS.ProcessEnv
}

/** The part of a schema that the changes below edit. */
type Schema = {
  required: string[]
  properties: Record<
    string,
    { type?: string; description?: string; maxLength?: number; 'x-renamed-from'?: string }
  >
}
type Schemas = Readonly<Record<'ParsedText' | 'CreateApiKeyRequest', Schema>>
type Contract = { readonly components: { readonly schemas: Schemas } }
/** Code of the repository that a change of the contract breaks. */
const consumer = `import type { CreateApiKeyRequest, ParsedText } from './api/types/index.js'

export const tokensOf = ({ tokens }: ParsedText): number => tokens
export const linesOf = (parsed: ParsedText): number => parsed.text.split('\\n').length
export const request: CreateApiKeyRequest = { description: 'Harbour', apiKeyType: 'INFERENCE' }
`

/** Follows a changed contract by hand first, then as the workflow does. */
export async function followContract({
  folder,
  contract,
  env,
}: FollowOptions): Promise<GuideOutputs> {
  const upstream = await serveContract(contract as Contract)
  const host = createHost(folder)
  const path = [host.commands, env['PATH'] ?? process.env['PATH']].join(delimiter)
  const inFolder = {
    cwd: folder,
    env: {
      ...env,
      ...author,
      PATH: path,
      GITHUB_STEP_SUMMARY: join(host.folder, 'summary.md'),
      FAREBOX_ORIGIN: upstream.origin,
    },
  }
  const sample = (name: string): Promise<string> =>
    run('bash', ['-euo', 'pipefail', join(samples, name)], inFolder)
  const step = ({ run: command, options, env: own }: Command): Promise<string> =>
    run('bash', [...options, '-c', command], { cwd: folder, env: { ...inFolder.env, ...own } })
  const readScriptError = (script: string): Promise<string> =>
    run('npm', ['run', script], inFolder).then(() => 'nothing', String)
  try {
    mkdirSync(folder, { recursive: true })
    for (const name of ['package.json', 'tsconfig.json'])
      copyFileSync(join(samples, name), join(folder, name))
    execFileSync('git', ['init', '--quiet', '--initial-branch=main'], { cwd: folder })
    mkdirSync(join(folder, 'src'))
    writeFileSync(join(folder, 'src/tokens.ts'), consumer)
    await sample('start.sh')

    upstream.change(({ ParsedText, CreateApiKeyRequest }) => {
      ParsedText.properties['pages'] = {
        type: 'integer',
        description: 'How many pages the document has.',
      }
      CreateApiKeyRequest.properties['description'] = {
        ...CreateApiKeyRequest.properties['description'],
        maxLength: 32,
      }
    })
    await run('npm', ['run', 'update'], inFolder)
    const withoutGenerating = await readScriptError('check')
    const changes = await sample('change.sh')
    const [changeset = ''] = readdirSync(join(folder, '.changeset')).filter((name) =>
      name.endsWith('.md'),
    )
    rmSync(join(folder, '.changeset', changeset))
    const withoutChangeset = await readScriptError('check')
    execFileSync('git', ['checkout', '--quiet', '.changeset'], { cwd: folder })
    await sample('release.sh')

    upstream.change(({ ParsedText, CreateApiKeyRequest }) => {
      const { text, ...others } = ParsedText.properties
      ParsedText.properties = { ...others, plainText: { ...text, 'x-renamed-from': 'text' } }
      ParsedText.required = ['plainText']
      CreateApiKeyRequest.properties['owner'] = { type: 'string', description: 'Who pays.' }
      CreateApiKeyRequest.required = [...CreateApiKeyRequest.required, 'owner']
    })
    execFileSync('git', ['remote', 'add', 'origin', host.repository], { cwd: folder })
    for (const command of listJobCommands(workflow, 'follow')) await step(command)
    const check = async () => {
      for (const command of listJobCommands(workflow, 'check')) await step(command)
      return 'nothing'
    }
    const inHost = (...args: readonly string[]) =>
      execFileSync('git', args, { cwd: host.repository, encoding: 'utf8' }).trim()
    const broken = await check().catch(String)
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      readonly version: string
    }
    return {
      pullRequest: readFileSync(host.pullRequest, 'utf8'),
      pushed: inHost('log', '--reverse', '--format=%s', 'follow-the-contract')
        .split('\n')
        .slice(-4),
      fixed: inHost('show', 'follow-the-contract:src/tokens.ts'),
      broken,
      withoutGenerating,
      changes,
      withoutChangeset,
      version,
      changelog: readFileSync(join(folder, 'CHANGELOG.md'), 'utf8'),
    }
  } finally {
    upstream.stop()
  }
}

const author = Object.fromEntries(
  ['AUTHOR', 'COMMITTER'].flatMap((role) => [
    [`GIT_${role}_NAME`, 'Harbour'],
    [`GIT_${role}_EMAIL`, 'harbour@example.test'],
  ]),
)

type Host = {
  readonly folder: string
  readonly commands: string
  readonly pullRequest: string
  readonly repository: string
}

/** Where the workflow pushes to, and a `gh` that writes down its arguments. */
function createHost(repository: string): Host {
  const folder = `${repository}-host`
  const commands = join(folder, 'bin')
  const pullRequest = join(folder, 'pull-request.txt')
  mkdirSync(commands, { recursive: true })
  const gh = `#!/bin/sh\necho "gh $*" > '${pullRequest}'\nwhile [ $# -gt 0 ]; do [ "$1" = --body-file ] && cat "$2" >> '${pullRequest}'; shift; done\n`
  writeFileSync(join(commands, 'gh'), gh, { mode: 0o755 })
  execFileSync('git', ['init', '--quiet', '--bare', join(folder, 'repository.git')])
  return { folder, commands, pullRequest, repository: join(folder, 'repository.git') }
}

type Upstream = {
  readonly origin: string
  readonly change: (edit: (schemas: Schemas) => void) => void
  readonly stop: () => void
}

/** Serves a contract that can change. */
async function serveContract(contract: Contract): Promise<Upstream> {
  const served = structuredClone(contract)
  const server = createServer((_request, response) =>
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify(served, undefined, 2)),
  )
  const origin = await startListening(server)
  return { origin, change: (edit) => edit(served.components.schemas), stop: () => server.close() }
}

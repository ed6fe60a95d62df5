// `pnpm site [build|dev|check|shots|card]`. The packages that build the site are not in the workspace:
// the first run installs them into packages/docs.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import {
  exitCodes,
  runProgram,
  world,
  type Arguments,
  type Command,
  type Program,
} from '@farebox/command-line'
import { check } from './check.js'
import { drawCard } from './draw-card.js'
import { docs, root } from './folders.js'
import { docsPagesFile } from './markdown/docs-pages.js'
import { writeMarkdown } from './markdown/write-markdown.js'
import { prepare } from './prepare.js'
import { takeShots } from './take-shots.js'

type Task = Command & { readonly run: (given: Arguments) => Promise<number> }

/** The folder of a server that the site is built for, with slashes around it. */
const base = process.env['SITE_BASE'] ?? '/'

const task = { operands: [], flags: [], examples: [] } as const

const program: Program<string, Task> = {
  name: 'site',
  summary: 'builds, previews and checks the site in packages/docs',
  operands: [],
  flags: [],
  commands: [
    {
      ...task,
      name: 'build',
      summary: 'build the site into packages/docs/dist',
      passes: true,
      run: ({ operands }) => build(operands),
    },
    {
      ...task,
      name: 'dev',
      summary: 'preview it while you write',
      passes: true,
      run: ({ operands }) => astro('dev', operands),
    },
    {
      ...task,
      name: 'check',
      summary: 'build it, then look at every page in a headless Chromium',
      flags: [
        {
          name: 'every-page',
          kind: 'switch',
          help: 'axe looks at every page too, not at two of each template',
        },
      ],
      run: async (given) => {
        const kept = readFileSync(docsPagesFile, 'utf8')
        await build()
        const exitCode = await check(base, given.has('every-page'))
        if (base !== '/' || readFileSync(docsPagesFile, 'utf8') === kept) return exitCode
        console.log(
          `FAULT  ${docsPagesFile} was not the documentation of the site; it is now: commit it`,
        )
        return exitCodes.failed
      },
    },
    {
      ...task,
      name: 'shots',
      summary:
        'build it, then keep a screenshot of each type of page, in both themes, wide and on a phone',
      operands: [{ name: 'FOLDER', required: true }],
      run: async ({ operands: [folder = ''] }) => {
        await build()
        await takeShots(base, folder)
        return exitCodes.ok
      },
    },
    {
      ...task,
      name: 'card',
      summary: 'draw the picture that stands for the site where a page of it is shared',
      run: async () => {
        await drawCard()
        return exitCodes.ok
      },
    },
  ],
  notes: [
    {
      title: 'Links:',
      text: 'They are absolute; SITE_BASE=/docs/ builds for a folder of a server, SITE_URL=https://host adds a sitemap.',
    },
  ],
  examples: [],
}

const given = process.argv.slice(2)
process.exitCode = await runProgram(
  program,
  given.length === 0 ? ['build'] : given,
  world,
  async (options, task) => (await task?.run(options)) ?? exitCodes.ok,
)

async function build(args: readonly string[] = []): Promise<number> {
  await astro('build', args)
  writeMarkdown(join(docs, 'dist'), base, process.env['SITE_URL'])
  return exitCodes.ok
}

async function astro(command: string, args: readonly string[] = []): Promise<number> {
  await ready()
  run('astro', [command, ...args])
  return exitCodes.ok
}

async function ready(): Promise<void> {
  install()
  await prepare()
}

/** Installs by the lock file if it is newer than the installed packages. */
function install(): void {
  const installed = join(docs, 'node_modules/.modules.yaml')
  if (
    existsSync(installed) &&
    statSync(installed).mtimeMs >= statSync(join(docs, 'pnpm-lock.yaml')).mtimeMs
  )
    return
  console.log('Installing the tools of the site (about 290 MB on disk, once) ...')
  run('npx', [
    '--yes',
    'pnpm@12.21.0',
    'install',
    '--frozen-lockfile',
    '--config.engine-strict=false',
  ])
}

/** Runs a command in the folder of the site and ends with its exit code if that is not 0. */
function run(name: string, args: readonly string[]): void {
  const path = [
    join(docs, 'node_modules/.bin'),
    join(root, 'node_modules/.bin'),
    process.env['PATH'],
  ].join(delimiter)
  const env = { ...process.env, PATH: path, ASTRO_TELEMETRY_DISABLED: '1' }
  const { status, error } = spawnSync(name, args, {
    cwd: docs,
    env,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  if (status !== 0) {
    console.error(
      `site: ${name} ${args.join(' ')} failed${error === undefined ? '' : `: ${error.message}`}`,
    )
    process.exit(status ?? 1)
  }
}

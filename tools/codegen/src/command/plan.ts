import { join, resolve, relative } from 'node:path'
import type { Config, DocumentSettings, Settings } from '../config/config.js'
import { findConfig, loadConfig } from '../config/load-config.js'
import { loadPlugin } from '../config/load-plugin.js'
import type { LoadedPlugin } from '../config/load-plugin.js'
import { existsSync } from 'node:fs'
import { UsageError } from '@farebox/command-line'
import type { Question } from '../pipeline/cache.js'
import type { LoadedConfig } from '../config/load-config.js'
import type { DocumentEmitter, OutputOptions } from '../emit/emitter.js'
import type { Plugin } from '../emit/plugin.js'
import { arePlain, type ValueModes } from '../emit/values/modes.js'
import type { GenerateOptions } from '../pipeline/generate.js'
import { isPrivate, isStream } from './input-flags.js'
import { chooseOutputs } from './outputs.js'
import { readFilter } from '../select/filter.js'
import { folder, packages } from '../pipeline/target.js'

/** What a command line and its configuration ask for. */
export type Plan = {
  readonly jobs: readonly Job[]
  /** The files of the configuration and of its plugins. */
  readonly files: readonly string[]
}

/**
 * Reads the configuration and its plugins. The configuration the file of `--config` or the
 * one of the folder, if there is any. Throws `UsageError`.
 */
export async function readPlan(config: string | undefined, overrides: Overrides): Promise<Plan> {
  const path = config === undefined ? findConfig(overrides.cwd) : resolve(overrides.cwd, config)
  const loaded = path === undefined ? { config: {}, folder: overrides.cwd, file: '', files: [] } : await loadConfig(path)
  const { find, files } = await loadPlugins([
    ...namesIn(loaded.config).map((name) => [name, loaded.folder] as const),
    ...overrides.plugins.map((name) => [name, overrides.cwd] as const),
  ])
  return {
    jobs: jobsOf(loaded, overrides, find),
    files: [...(path === undefined ? [] : [path]), ...loaded.files, ...files],
  }
}

function namesIn({ plugins = [], documents = [] }: Config): readonly string[] {
  return [...plugins, ...documents.flatMap((one) => one.plugins ?? [])].filter((one) => typeof one === 'string')
}

type Wanted = readonly (readonly [name: string, folder: string])[]

async function loadPlugins(wanted: Wanted): Promise<{ readonly find: FindPlugin; readonly files: readonly string[] }> {
  const known = new Map<string, LoadedPlugin>()
  for (const [name, folder] of wanted) known.set(join(folder, name), await loadPlugin(name, folder))
  const find: FindPlugin = (name, folder) => {
    const loaded = known.get(join(folder, name))
    if (loaded === undefined) throw new Error(`The plugin ${name} was not loaded.`)
    return loaded.plugin
  }
  return { find, files: [...known.values()].flatMap((one) => one.files) }
}

/** What the command line says beside a configuration. Its paths are relative to `cwd`. */
export type Overrides = {
  readonly cwd: string
  readonly spec: string | undefined
  readonly settings: Settings
  /** Plugins of `--plugin`, beside those of the configuration. */
  readonly plugins: readonly string[]
  readonly only: readonly string[] | undefined
  readonly options: Readonly<Record<string, OutputOptions>>
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: AsyncIterable<Uint8Array>
  readonly cached: boolean
  /** The command that banners name. */
  readonly command: string
}

/** One document to generate. */
export type Job = {
  readonly options: Omit<GenerateOptions, 'emitters'> &
    Required<Pick<GenerateOptions, 'spec' | 'input' | 'selection' | 'cwd' | 'target' | 'allowRefs' | 'strict'>> & {
      readonly emitters: readonly DocumentEmitter[]
    }
  /** What the cache knows it by. A document that is not a file is in no cache. */
  readonly question: Question | undefined
  /** Equal for two jobs that make the same of a document, unless they have plugins. */
  readonly key: string
  readonly hasPlugins: boolean
}

/** The plugin that a folder knows by a name. */
export type FindPlugin = (name: string, folder: string) => Plugin

/**
 * The documents of a configuration, each with its own settings, else the common ones, else the
 * defaults; an option of the command line comes before all. `--spec` selects one of them, or adds
 * one that has the common settings. Throws `UsageError`.
 */
export function jobsOf(
  { config, folder: base, file }: Omit<LoadedConfig, 'files'>,
  overrides: Overrides,
  find: FindPlugin,
): readonly Job[] {
  const { documents = [{ spec: 'spec/openapi.yaml' }], ...common } = config
  const { cwd, settings } = overrides
  const moved = (path: string): string => (isStream(path) || base === cwd ? path : relative(base, resolve(cwd, path)))
  const flags: Settings = {
    ...settings,
    ...(settings.out !== undefined && { out: moved(settings.out) }),
    ...(settings.overlays && { overlays: settings.overlays.map(moved) }),
  }
  const chosen = documentsOf(documents, overrides.spec && moved(overrides.spec), base)
  if (chosen.length === 0) throw new UsageError('"documents" is empty: name at least one.')
  const jobs = chosen.map((document) => jobOf({ ...common, ...document, ...flags }, { folder: base, file }, overrides, find))
  refuseSharedFolders(jobs)
  refuseWithoutEffect(jobs, overrides)
  return jobs
}

function documentsOf(documents: readonly DocumentSettings[], spec: string | undefined, base: string): readonly DocumentSettings[] {
  if (spec === undefined) return documents
  const same = documents.filter((one) => (isStream(spec) ? one.spec === spec : resolve(base, one.spec) === resolve(base, spec)))
  return same.length === 0 ? [{ spec }] : same
}

function jobOf(
  settings: DocumentSettings,
  { folder: base, file }: Pick<LoadedConfig, 'folder' | 'file'>,
  overrides: Overrides,
  find: FindPlugin,
): Job {
  const { spec, outputs, overlays = [], include = [], exclude = [], prune = false } = settings
  const {
    discriminator = 'json-schema',
    allowRefs = false,
    strict = false,
    importExtension = 'js',
    dates = 'text',
    int64 = 'number',
  } = settings
  const values = { dates, int64 }
  const { only, options, stdin, command } = overrides
  const out = settings.out === undefined ? undefined : normal(settings.out)
  const named = (settings.plugins ?? []).map((one) => (typeof one === 'string' ? find(one, base) : one))
  const plugins = [...named, ...overrides.plugins.map((name) => find(name, overrides.cwd))]
  const emitters = chooseOutputs({ out, outputs, only, plugins, where: file === '' ? '' : `${file}: `, options })
  if (out === undefined && importExtension !== 'js')
    throw new UsageError('--import-extension needs --out DIR, or "out" in the configuration: packages are compiled.')
  if (out === undefined && !arePlain(values))
    throw new UsageError(
      `--${dates === 'text' ? 'int64' : 'dates'} needs --out DIR, or "out" in the configuration: packages are generated in one way.`,
    )
  refuseUnfit(emitters, values)
  const target = out === undefined ? packages : folder(out, command, importExtension)
  if (out !== undefined) refuseAbsent(emitters, (name) => existsSync(join(base, out, name)))
  const filters = (texts: readonly string[]) => texts.flatMap((text) => readFilter(text) ?? [])
  const selection = { include: filters(include), exclude: filters(exclude), prune }
  const input = { overlays, headers: headersOf(settings, overrides), stdin, discriminator }
  // everything that the output depends on, except the files
  const made = emitters.map(({ name }) => [name, outputs?.[name], options[name]])
  const asked = [made, outputs && Object.keys(outputs), overlays, include, exclude, prune, discriminator, importExtension, values]
  const directories = emitters.map((emitter) => target.directory(emitter))
  const question = { cwd: base, spec, options: [target.command, ...directories, allowRefs, strict, JSON.stringify(asked)] }
  return {
    options: { spec, input, selection, ...values, target, emitters, allowRefs, strict, cwd: base },
    // nothing says whether the code of a plugin has changed
    question: overrides.cached && !isStream(spec) && plugins.length === 0 ? question : undefined,
    key: JSON.stringify(question),
    hasPlugins: plugins.length > 0,
  }
}

/** A file needs no header, so that one that all documents have in common is no fault. */
function headersOf({ spec, headersFromEnv = {} }: DocumentSettings, { env, settings }: Overrides): Readonly<Record<string, string>> {
  const [where, asked] = settings.headersFromEnv === undefined ? ['headersFromEnv', isStream(spec)] : ['--header-env', true]
  if (!asked || Object.keys(headersFromEnv).length === 0) return {}
  if (!isPrivate(spec)) throw new UsageError(`${where} needs --spec with an https URL, or one of this machine: a header may be a secret.`)
  return Object.fromEntries(
    Object.entries(headersFromEnv).map(([name, variable]) => {
      const value = env[variable]
      if (value === undefined || value === '') throw new UsageError(`${where}: the environment has no ${variable}.`)
      return [name, value]
    }),
  )
}

/** Files that import an output that is not there do not compile. */
function refuseAbsent(emitters: readonly DocumentEmitter[], exists: (output: string) => boolean): void {
  const names = emitters.map(({ name }) => name)
  for (const { name, needs = [] } of emitters) {
    const absent = needs.filter((need) => !names.includes(need) && !exists(need))
    if (absent.length > 0)
      throw new UsageError(
        `The output ${name} imports ${absent.join(' and ')}, which is not there. Make it too: --only ${[...absent, ...names].join(',')}`,
      )
  }
}

/** An output that has values as JSON has them does not fit types that have others. */
function refuseUnfit(emitters: readonly DocumentEmitter[], { dates, int64 }: ValueModes): void {
  const fits = (setting: keyof ValueModes) => emitters.find(({ converts, needs = [] }) => !converts?.includes(setting) && needs.length > 0)
  const [textual, numeric] = [dates === 'text' ? undefined : fits('dates'), int64 === 'number' ? undefined : fits('int64')]
  if (textual !== undefined)
    throw new UsageError(`The output ${textual.name} has dates as text and does not fit "dates": "${dates}". Leave one of the two away.`)
  if (numeric !== undefined)
    throw new UsageError(`The output ${numeric.name} has int64 as number and does not fit "int64": "${int64}". Leave one of the two away.`)
}

/** An option of the command line for an output that no document gets would change nothing. */
function refuseWithoutEffect(jobs: readonly Job[], { options }: Overrides): void {
  const emitters = jobs.flatMap((job) => job.options.emitters)
  for (const [output, given] of Object.entries(options))
    for (const option of Object.keys(given))
      if (!emitters.some(({ name }) => name === output))
        throw new UsageError(
          `The option ${JSON.stringify(option)} of ${output} has no effect, as ${output} is not made. Leave one of the two away.`,
        )
}

/** Each run deletes files in its folders that it did not write. */
function refuseSharedFolders(jobs: readonly Job[]): void {
  const known = new Map<string, Job>()
  for (const job of jobs) {
    const { cwd, emitters, target, spec } = job.options
    for (const directory of emitters.map((emitter) => resolve(cwd, target.directory(emitter)))) {
      const [, other] = [...known].find(([path]) => `${directory}/`.startsWith(`${path}/`) || `${path}/`.startsWith(`${directory}/`)) ?? []
      if (other !== undefined && other !== job) {
        const shown = relative(cwd, directory)
        throw new UsageError(
          `${other.options.spec} and ${spec} would both be written into ${shown}: each document needs an "out" of its own.`,
        )
      }
      known.set(directory, job)
    }
  }
}

function normal(path: string): string {
  return path.replaceAll('\\', '/').replace(/(?<=.)\/+$/, '')
}

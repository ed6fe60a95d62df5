import { existsSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { UsageError } from '@farebox/command-line'
import type { Config, DocumentSettings, Settings } from '../config/config.js'
import { findConfig, loadConfig } from '../config/load-config.js'
import type { LoadedConfig } from '../config/load-config.js'
import { loadPlugin } from '../config/load-plugin.js'
import type { LoadedPlugin } from '../config/load-plugin.js'
import type { DocumentEmitter, OutputOptions, Plugin } from '../emit/emitter.js'
import { arePlain, type ValueModes } from '../emit/values/converted.js'
import type { CacheKey } from '../pipeline/cache.js'
import type { GenerateOptions } from '../pipeline/generate.js'
import { folder, packages } from '../pipeline/target.js'
import { readFilter } from '../select/select.js'
import { isStream, mayReceiveSecrets } from './input-flags.js'
import { chooseOutputs } from './outputs.js'

/** The documents to generate, by the command line and its configuration. */
export type Plan = {
  readonly jobs: readonly Job[]
  /** The files of the configuration and of its plugins. */
  readonly files: readonly string[]
}

/** One document to generate. */
export type Job = {
  readonly options: Omit<GenerateOptions, 'emitters'> &
    Required<
      Pick<
        GenerateOptions,
        'spec' | 'input' | 'selection' | 'cwd' | 'target' | 'allowRefs' | 'strict'
      >
    > & {
      readonly emitters: readonly DocumentEmitter[]
    }
  /** Undefined for a document that is not a file, which is never cached. */
  readonly cacheKey: CacheKey | undefined
  /** Equal for two jobs that generate the same output, unless they have plugins. */
  readonly key: string
  readonly hasPlugins: boolean
}

/** The settings of the command line. Its paths are relative to `cwd`. */
export type Overrides = {
  readonly cwd: string
  readonly spec: string | undefined
  readonly settings: Settings
  /** Plugins of `--plugin`, in addition to those of the configuration. */
  readonly plugins: readonly string[]
  readonly only: readonly string[] | undefined
  readonly options: Readonly<Record<string, OutputOptions>>
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: AsyncIterable<Uint8Array>
  readonly cached: boolean
  /** The command that banners name. */
  readonly command: string
}

/** Looks up a loaded plugin by its name, as seen from a folder. */
type FindPlugin = (name: string, folder: string) => Plugin

/**
 * Reads the configuration and its plugins: the file of `--config`, else the nearest one, if there
 * is any. Throws `UsageError`.
 */
export async function readPlan(config: string | undefined, overrides: Overrides): Promise<Plan> {
  const path = config === undefined ? findConfig(overrides.cwd) : resolve(overrides.cwd, config)
  const loaded =
    path === undefined
      ? { config: {}, folder: overrides.cwd, file: '', files: [] }
      : await loadConfig(path)
  const { find, files } = await loadPlugins([
    ...listPluginNames(loaded.config).map((name) => [name, loaded.folder] as const),
    ...overrides.plugins.map((name) => [name, overrides.cwd] as const),
  ])
  return {
    jobs: createJobs(loaded, overrides, find),
    files: [...(path === undefined ? [] : [path]), ...loaded.files, ...files],
  }
}

function listPluginNames({ plugins = [], documents = [] }: Config): readonly string[] {
  return [...plugins, ...documents.flatMap((document) => document.plugins ?? [])].filter(
    (plugin) => typeof plugin === 'string',
  )
}

async function loadPlugins(
  names: readonly (readonly [name: string, folder: string])[],
): Promise<{ readonly find: FindPlugin; readonly files: readonly string[] }> {
  const plugins = new Map<string, LoadedPlugin>()
  for (const [name, folder] of names)
    plugins.set(join(folder, name), await loadPlugin(name, folder))
  const find: FindPlugin = (name, folder) => {
    const loaded = plugins.get(join(folder, name))
    if (loaded === undefined) throw new Error(`The plugin ${name} was not loaded.`)
    return loaded.plugin
  }
  return { find, files: [...plugins.values()].flatMap(({ files }) => files) }
}

/**
 * One job for each document of the configuration. A flag takes precedence over a setting of the
 * document, which takes precedence over a common setting. `--spec` selects a document, or adds one
 * with the common settings.
 */
function createJobs(
  { config, folder: base, file }: Omit<LoadedConfig, 'files'>,
  overrides: Overrides,
  find: FindPlugin,
): readonly Job[] {
  const { documents = [{ spec: 'spec/openapi.yaml' }], ...common } = config
  const { cwd, settings } = overrides
  const rebase = (path: string): string =>
    isStream(path) || base === cwd ? path : relative(base, resolve(cwd, path))
  const flags: Settings = {
    ...settings,
    ...(settings.out !== undefined && { out: rebase(settings.out) }),
    ...(settings.overlays && { overlays: settings.overlays.map(rebase) }),
  }
  const selected = selectDocuments(documents, overrides.spec && rebase(overrides.spec), base)
  if (selected.length === 0) throw new UsageError('"documents" is empty: list at least one.')
  const jobs = selected.map((document) =>
    createJob({ ...common, ...document, ...flags }, { folder: base, file }, overrides, find),
  )
  rejectSharedFolders(jobs)
  rejectUnusedOptions(jobs, overrides)
  return jobs
}

function selectDocuments(
  documents: readonly DocumentSettings[],
  spec: string | undefined,
  base: string,
): readonly DocumentSettings[] {
  if (spec === undefined) return documents
  const matches = documents.filter((document) =>
    isStream(spec) ? document.spec === spec : resolve(base, document.spec) === resolve(base, spec),
  )
  return matches.length === 0 ? [{ spec }] : matches
}

function createJob(
  settings: DocumentSettings,
  { folder: base, file }: Pick<LoadedConfig, 'folder' | 'file'>,
  overrides: Overrides,
  find: FindPlugin,
): Job {
  const { spec, outputs, overlays = [], include = [], exclude = [], prune = false } = settings
  const {
    semantics = 'openapi',
    discriminator = semantics,
    allowRefs = false,
    strict = false,
    importExtension = 'js',
    dates = 'text',
    int64 = 'number',
  } = settings
  const values = { dates, int64 }
  const { only, options, stdin, command } = overrides
  const out = readOutputFolder(settings, file)
  const configured = (settings.plugins ?? []).map((plugin) =>
    typeof plugin === 'string' ? find(plugin, base) : plugin,
  )
  const plugins = [...configured, ...overrides.plugins.map((name) => find(name, overrides.cwd))]
  const emitters = chooseOutputs({
    out,
    outputs,
    only,
    plugins,
    where: file === '' ? '' : `${file}: `,
    options,
  })
  if (out === undefined && importExtension !== 'js') throw createFolderError('--import-extension')
  if (out === undefined && !arePlain(values))
    throw createFolderError(dates === 'text' ? '--int64' : '--dates')
  rejectUnconverted(emitters, values)
  const target = out === undefined ? packages : folder(out, command, importExtension)
  if (out !== undefined) rejectMissingOutputs(emitters, (name) => existsSync(join(base, out, name)))
  const readFilters = (texts: readonly string[]) => texts.flatMap((text) => readFilter(text) ?? [])
  const selection = { include: readFilters(include), exclude: readFilters(exclude), prune }
  const input = {
    overlays,
    headers: readHeaders(settings, overrides),
    stdin,
    semantics,
    discriminator,
  }
  // everything that the output depends on, except the files
  const outputSettings = emitters.map(({ name }) => [name, outputs?.[name], options[name]])
  const dependsOn = [
    outputSettings,
    outputs && Object.keys(outputs),
    overlays,
    include,
    exclude,
    prune,
    semantics,
    discriminator,
    importExtension,
    values,
  ]
  const directories = emitters.map((emitter) => target.directory(emitter))
  const cacheKey = {
    cwd: base,
    spec,
    options: [target.command, ...directories, allowRefs, strict, JSON.stringify(dependsOn)],
  }
  return {
    options: { spec, input, selection, ...values, target, emitters, allowRefs, strict, cwd: base },
    // a change in the code of a plugin cannot be detected
    cacheKey: overrides.cached && !isStream(spec) && plugins.length === 0 ? cacheKey : undefined,
    key: JSON.stringify(cacheKey),
    hasPlugins: plugins.length > 0,
  }
}

/** The folder of the outputs; undefined for the layout `packages`. There is no default folder. */
function readOutputFolder(
  { out, layout, spec }: DocumentSettings,
  file: string,
): string | undefined {
  if (out !== undefined) return normalizePath(out)
  if (layout === 'packages') return undefined
  if (file !== '')
    throw new UsageError(
      `${file}: ${spec} has no "out". Set it, for example to "src/api", or pass --out DIR.`,
    )
  throw new UsageError(
    'No folder for the outputs. Pass --out DIR, for example `farebox-codegen --spec openapi.yaml --out src/api`, or set "out" in a farebox.config.ts, which `farebox-codegen init` writes.',
  )
}

function createFolderError(option: string): UsageError {
  return new UsageError(
    `${option} needs --out DIR, or "out" in the configuration: "layout": "packages" does not have it.`,
  )
}

/**
 * A file needs no header, so headers that all documents have in common are no error for a file.
 */
function readHeaders(
  { spec, headersFromEnv = {} }: DocumentSettings,
  { env, settings }: Overrides,
): Readonly<Record<string, string>> {
  const [where, isUsed] =
    settings.headersFromEnv === undefined
      ? ['headersFromEnv', isStream(spec)]
      : ['--header-env', true]
  if (!isUsed || Object.keys(headersFromEnv).length === 0) return {}
  if (!mayReceiveSecrets(spec))
    throw new UsageError(
      `${where} needs --spec with an https URL, or one of this machine: a header may be a secret.`,
    )
  return Object.fromEntries(
    Object.entries(headersFromEnv).map(([name, variable]) => {
      const value = env[variable]
      if (value === undefined || value === '')
        throw new UsageError(`${where}: the environment has no ${variable}.`)
      return [name, value]
    }),
  )
}

/** Files that import an output that does not exist do not compile. */
function rejectMissingOutputs(
  emitters: readonly DocumentEmitter[],
  exists: (output: string) => boolean,
): void {
  const names = emitters.map(({ name }) => name)
  for (const { name, needs = [] } of emitters) {
    const missing = needs.filter((need) => !names.includes(need) && !exists(need))
    if (missing.length > 0)
      throw new UsageError(
        `The output ${name} imports ${missing.join(' and ')}, which does not exist. Generate it too: --only ${[...missing, ...names].join(',')}`,
      )
  }
}

/** An output that has values as JSON has them does not fit types that convert them. */
function rejectUnconverted(
  emitters: readonly DocumentEmitter[],
  { dates, int64 }: ValueModes,
): void {
  const findUnconverted = (setting: keyof ValueModes) =>
    emitters.find(({ converts, needs = [] }) => !converts?.includes(setting) && needs.length > 0)
  const textual = dates === 'text' ? undefined : findUnconverted('dates')
  if (textual !== undefined)
    throw new UsageError(
      `The output ${textual.name} has dates as text and does not fit "dates": "${dates}". Remove one of the two.`,
    )
  const numeric = int64 === 'number' ? undefined : findUnconverted('int64')
  if (numeric !== undefined)
    throw new UsageError(
      `The output ${numeric.name} has int64 as number and does not fit "int64": "${int64}". Remove one of the two.`,
    )
}

/** A flag for an output that no document generates would have no effect. */
function rejectUnusedOptions(jobs: readonly Job[], { options }: Overrides): void {
  const emitters = jobs.flatMap((job) => job.options.emitters)
  for (const [output, values] of Object.entries(options))
    for (const option of Object.keys(values))
      if (!emitters.some(({ name }) => name === output))
        throw new UsageError(
          `The option ${JSON.stringify(option)} of ${output} has no effect, as ${output} is not generated. Remove one of the two.`,
        )
}

/**
 * Each run deletes the files in its folders that another run has generated. File systems that
 * ignore case have one folder for two names.
 */
function rejectSharedFolders(jobs: readonly Job[]): void {
  const owners = new Map<string, Job>()
  for (const job of jobs) {
    const { cwd, emitters, target, spec } = job.options
    for (const directory of emitters.map((emitter) => resolve(cwd, target.directory(emitter)))) {
      const [, other] =
        [...owners].find(([path]) => isWithin(directory, path) || isWithin(path, directory)) ?? []
      if (other !== undefined && other !== job)
        throw new UsageError(
          `${other.options.spec} and ${spec} would both be written into ${relative(cwd, directory)}: give each document its own "out".`,
        )
      owners.set(directory, job)
    }
  }
}

function isWithin(path: string, folder: string): boolean {
  return `${path}/`.toLowerCase().startsWith(`${folder}/`.toLowerCase())
}

/** With forward slashes, and none at the end. */
export function normalizePath(path: string): string {
  return path.replaceAll('\\', '/').replace(/(?<=.)\/+$/, '')
}

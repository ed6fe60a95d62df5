import { join, resolve } from 'node:path'
import type { Config } from './config/config.js'
import { findConfig } from './config/find-config.js'
import { loadConfig } from './config/load-config.js'
import { loadPlugin } from './config/load-plugin.js'
import type { LoadedPlugin } from './config/load-plugin.js'
import { jobsOf } from './job.js'
import type { FindPlugin, Job, Overrides } from './job.js'

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

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run, type CommandOptions } from '@farebox/testing/commands'

/** A fresh project outside the tree, which installs the packages and calls the service. */
export type Outside = {
  readonly folder: string
  /** Of the local service. */
  readonly baseUrl: string
  /** Of the local service. */
  readonly apiKey: string
  /** Makes npm use the loopback registry. */
  readonly env: NodeJS.ProcessEnv
  /** Every package that was published. */
  readonly packages: readonly { readonly name: string }[]
}

/** Throws unless the packages do in this project what they promise. */
export type Prove = (outside: Outside) => Promise<void>

/** The packages that most projects install. */
export const sdk = ['farebox', '@farebox/auth', '@farebox/zod']

const wanted = '{"text":"Tram fares","newBalance":5}'

export async function install({ folder, env }: Outside, names: readonly string[]): Promise<void> {
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    join(folder, 'package.json'),
    '{ "name": "outside", "private": true, "type": "module" }\n',
  )
  await run('npm', ['install', '--loglevel=error', ...names], { cwd: folder, env })
}

/**
 * Runs a command in the project, with the address and the key of the service in its environment.
 * Payments are recorded in the project, and not in the folder of the user.
 */
export function createCommandOptions({ folder, baseUrl, apiKey, env }: Outside): CommandOptions {
  return {
    cwd: folder,
    env: {
      ...env,
      FAREBOX_BASE_URL: baseUrl,
      FAREBOX_API_KEY: apiKey,
      XDG_STATE_HOME: join(folder, 'state'),
    },
  }
}

/** The output must be the response and nothing else: a warning of the runtime is a fault too. */
export function expectOutput(output: string): void {
  if (output.trim() !== wanted) throw new Error(`Expected ${wanted}, found:\n${output}`)
}

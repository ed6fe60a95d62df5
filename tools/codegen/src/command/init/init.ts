import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { exitCodes, expected, UsageError } from '@farebox/command-line'
import { findConfig } from '../../config/find-config.js'
import { emitters } from '../../emitters/index.js'
import { isStream } from '../input-flags.js'
import type { Io } from '../io.js'
import { configText } from './config-text.js'
import { findDocuments } from './find-documents.js'
import { readProject } from './read-project.js'
import type { Project } from './read-project.js'

/** What the command line says already. */
export type InitOptions = {
  readonly spec: string | undefined
  readonly out: string | undefined
  readonly only: readonly string[] | undefined
  /** Ask nothing. Without a terminal nothing is asked either. */
  readonly yes: boolean
}

/**
 * Writes a configuration from what the folder holds and, on a terminal, from answers. Resolves to
 * the exit code: 1 where there is a configuration, which stays as it is. Throws `UsageError`.
 */
export async function init({ spec, out, only, yes }: InitOptions, io: Io): Promise<number> {
  const existing = findConfig(io.cwd)
  if (existing !== undefined) {
    io.error(`${existing} exists already. Nothing was written.`)
    return exitCodes.failed
  }
  const project = readProject(io.cwd)
  const ask = async (question: string, usual: string): Promise<string> =>
    (yes ? undefined : (await io.ask?.(`${question} (${usual}): `))?.trim()) || usual
  const document = spec ?? (await ask('Document', await likeliest(io)))
  if (document === '-' || (!isStream(document) && !existsSync(resolve(io.cwd, document))))
    throw expected('--spec', document, 'a file that exists, or a URL')
  const folder = out ?? (await ask('Folder of the output', project.out))
  const outputs = only ?? (await ask('Outputs', project.outputs.join(','))).split(',').map((name) => name.trim())
  const known = emitters.map(({ name }) => name)
  const unknown = outputs.find((name) => !known.includes(name))
  if (unknown !== undefined) throw expected('--only', unknown, `some of ${known.join(', ')}`)

  const path = join(io.cwd, `farebox.config.${project.isTypeScript ? 'ts' : 'mjs'}`)
  await writeFile(path, configText({ spec: document, out: folder, outputs }, project.isTypeScript), { flag: 'wx' })
  io.out(`Wrote ${basename(path)}: ${document} becomes ${outputs.map((name) => `${folder}/${name}`).join(', ')}.`)
  for (const line of nextSteps(project, outputs)) io.out(line)
  return exitCodes.ok
}

async function likeliest(io: Io): Promise<string> {
  const [first, ...others] = await findDocuments(io.cwd)
  if (first === undefined) throw new UsageError('There is no OpenAPI document here: name one with --spec FILE.')
  if (others.length > 0) io.out(`Found ${[first, ...others].join(', ')}.`)
  return first
}

function nextSteps({ packages }: Project, outputs: readonly string[]): readonly string[] {
  const missing = outputs.flatMap((name) => {
    const { suits = [] } = emitters.find((one) => one.name === name) ?? {}
    return suits.length === 0 || suits.some((one) => packages.has(one)) ? [] : suits.slice(0, 1)
  })
  return [
    'Next:',
    ...(packages.has('@farebox/codegen') ? [] : ['  npm install --save-dev @farebox/codegen']),
    ...(missing.length === 0 ? [] : [`  npm install ${missing.join(' ')}`]),
    '  npx farebox-codegen           writes the output',
    '  npx farebox-codegen --check   tells whether it is up to date, for CI',
  ]
}

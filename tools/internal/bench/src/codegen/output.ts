import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { root } from '../measure.js'
import { measureProcess, type ProcessMeasurement } from '../measure-process.js'
import { installPeer } from '../peer-versions.js'

/** TypeScript 5.9, and 7, whose compiler is a program of several threads that Node only starts. */
const compilers = { old: 'typescript', native: '@typescript/native' } as const

/**
 * Empties a folder, and copies a document into it, as one file: orval reads no others. Generated
 * code finds its packages there. Returns the name of the document in the folder.
 */
export function prepareFolder(spec: string, folder: string): string {
  const document = 'document.json'
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(join(folder, 'node_modules/.cache'), { recursive: true })
  if (spec.endsWith('.json')) cpSync(spec, join(folder, document))
  else bundle(spec, document, folder)
  for (const name of ['zod', 'openapi-fetch'])
    symlinkSync(join(root, 'tools/codegen/node_modules', name), join(folder, 'node_modules', name))
  return document
}

function bundle(spec: string, document: string, folder: string): void {
  const redocly = join(installPeer('@redocly/cli', ['typescript@5.9.3']), 'bin/cli.js')
  const { status, output } = measureProcess([redocly, 'bundle', spec, '-o', document], folder)
  if (status !== 0) throw new Error(`redocly bundle failed:\n${output.slice(-2000)}`)
}

export function listTypeScriptFiles(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(folder, file))
}

/** Compiles files that were generated into a folder, without those of libraries. */
export function compile(
  files: readonly string[],
  folder: string,
  compiler: keyof typeof compilers,
  checks: readonly string[],
): ProcessMeasurement {
  const modules = [
    '--module',
    'esnext',
    '--moduleResolution',
    'bundler',
    '--target',
    'es2022',
    '--lib',
    'es2022,dom,dom.iterable',
  ]
  return measureProcess(
    [
      findCompiler(compilers[compiler]),
      // the workspace around the folder has a tsconfig.json, which TypeScript 5.9 does not look for
      ...(compiler === 'native' ? ['--ignoreConfig'] : []),
      '--noEmit',
      '--skipLibCheck',
      // kubb's imports end in .ts
      '--allowImportingTsExtensions',
      ...checks,
      ...modules,
      ...files,
    ],
    folder,
  )
}

function findCompiler(name: string): string {
  const { resolve } = createRequire(import.meta.url)
  return join(dirname(resolve(`${name}/package.json`)), 'bin/tsc')
}

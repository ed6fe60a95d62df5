import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  ModuleKind,
  ModuleResolutionKind,
  Project,
  ScriptTarget,
  SymbolFlags,
  ts,
  type ResolutionHostFactory,
} from 'ts-morph'
import { expect, it } from 'vitest'
import { listPublished } from '@farebox/release/list-published'

const root = fileURLToPath(new URL('..', import.meta.url))

type Entry = { readonly name: string; readonly source: string }

/**
 * Every way into every package; what is behind a condition that only this tree has is the source of
 * the file that strangers get.
 */
const entries = listPublished(root).flatMap(({ name, folder }) => {
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, unknown>>
  }
  return Object.entries(exports).flatMap(([key, target]): Entry[] =>
    typeof target !== 'object' || target === null || !('@farebox/source' in target)
      ? []
      : [{ name: name + key.slice(1), source: join(folder, String(target['@farebox/source'])) }],
  )
})

it('entry points export the recorded names', async () => {
  const exported = listExports(entries.map(({ source }) => source))
  const parts = entries.map(
    ({ name, source }) =>
      `${name}\n${exported(source)
        .map((line) => `  ${line}\n`)
        .join('')}`,
  )
  await expect(parts.join('\n')).toMatchFileSnapshot('public-surface.txt')
})

/** The declarations of other packages are many times as long as our sources, and export none of our names. */
const resolveOurs: ResolutionHostFactory = (host, options) => ({
  resolveModuleNames: (names, file) =>
    names.map((name) =>
      /^(?:[.#]|@farebox\/|farebox(?:\/|$))/.test(name)
        ? ts.resolveModuleName(
            name,
            file,
            options(),
            host,
            undefined,
            undefined,
            ts.ModuleKind.ESNext,
          ).resolvedModule
        : undefined,
    ),
})

/**
 * Names in their order, with `type` before those that are gone when the code runs.
 */
function listExports(files: readonly string[]): (file: string) => readonly string[] {
  const project = new Project({
    skipAddingFilesFromTsConfig: true,
    resolutionHost: resolveOurs,
    compilerOptions: {
      target: ScriptTarget.ES2022,
      module: ModuleKind.NodeNext,
      moduleResolution: ModuleResolutionKind.NodeNext,
      customConditions: ['@farebox/source'],
      noLib: true,
      types: [],
      noEmit: true,
    },
  })
  project.addSourceFilesAtPaths(files)
  return (file) =>
    project
      .getSourceFileOrThrow(file)
      .getExportSymbols()
      .map((symbol) => {
        const target = symbol.getAliasedSymbol() ?? symbol
        return (target.getFlags() & SymbolFlags.Value) !== 0
          ? symbol.getName()
          : `type ${symbol.getName()}`
      })
      .toSorted((a, b) => (a.replace('type ', '') < b.replace('type ', '') ? -1 : 1))
}

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '@farebox/testing/commands'
import {
  proveEsbuildBundle,
  proveViteBundle,
  proveInBun,
  proveInDeno,
  proveInJest,
  proveInWorkerd,
} from './in-runtimes.js'
import {
  createCommandOptions,
  expectOutput,
  install,
  sdk,
  type Outside,
  type Prove,
} from './outside.js'
import * as sources from './sources.js'
import { followContract } from './vendored.js'

/** A way to use the packages. `what` states the property that it proves. */
export type Project = { readonly name: string; readonly what: string; readonly prove: Prove }

const typed = [
  ...sdk,
  '@farebox/client',
  '@farebox/middleware',
  '@farebox/retry',
  '@farebox/types',
  'typescript@5.9.3',
  '@types/node@20.19.43',
]

export const projects: readonly Project[] = [
  { name: 'esm', what: 'import in Node', prove: createNodeProof('main.mjs', sources.esm) },
  {
    name: 'require',
    what: 'require() in Node',
    prove: createNodeProof('main.cjs', sources.commonJs),
  },
  { name: 'jest', what: "require() in Jest, with the README's line", prove: proveInJest },
  {
    name: 'entries',
    what: 'import and require() of every entry point of every package',
    prove: proveEveryEntry,
  },
  {
    name: 'ts-nodenext',
    what: 'TypeScript, module nodenext, from ESM and CommonJS',
    prove: createTypeScriptProof('nodenext', { module: 'nodenext' }),
  },
  {
    name: 'ts-node20',
    what: 'TypeScript, module node20, from ESM and CommonJS',
    prove: createTypeScriptProof('node20', { module: 'node20' }),
  },
  {
    name: 'ts-bundler',
    what: 'TypeScript, module resolution bundler',
    prove: createTypeScriptProof('bundler', { module: 'esnext', moduleResolution: 'bundler' }),
  },
  { name: 'bun', what: 'import in bun', prove: proveInBun },
  { name: 'deno', what: 'import in deno', prove: proveInDeno },
  { name: 'esbuild', what: 'a bundle of esbuild, run in Chromium', prove: proveEsbuildBundle },
  { name: 'vite', what: 'a bundle of vite, run in Chromium', prove: proveViteBundle },
  { name: 'worker', what: 'a bundle in workerd', prove: proveInWorkerd },
  {
    name: 'command',
    what: 'npx farebox parse, without @farebox/cli and with it',
    prove: proveCommand,
  },
  { name: 'codegen', what: 'npx farebox-codegen, its output compiled', prove: proveGenerator },
  {
    name: 'vendored',
    what: 'a repository that vendors the contract, follows a change of it, and is released',
    prove: proveVendoredContract,
  },
]

function createNodeProof(file: string, source: string): Prove {
  return async (outside) => {
    await install(outside, sdk)
    writeFileSync(join(outside.folder, file), source)
    expectOutput(await run(process.execPath, [file], createCommandOptions(outside)))
  }
}

async function proveEveryEntry(outside: Outside): Promise<void> {
  const names = outside.packages.map(({ name }) => name)
  await install(outside, names)
  const entries = names.flatMap((name) => {
    const manifest = readFileSync(
      join(outside.folder, 'node_modules', name, 'package.json'),
      'utf8',
    )
    const { exports } = JSON.parse(manifest) as {
      readonly exports: Readonly<Record<string, unknown>>
    }
    return Object.keys(exports)
      .filter((key) => key !== './package.json')
      .map((key) => name + key.slice(1))
  })
  const imported = entries.map(
    (entry) =>
      `await import('${entry}'${entry.endsWith('.json') ? ", { with: { type: 'json' } }" : ''})\n`,
  )
  writeFileSync(join(outside.folder, 'main.mjs'), imported.join(''))
  writeFileSync(
    join(outside.folder, 'main.cjs'),
    entries.map((entry) => `require('${entry}')\n`).join(''),
  )
  await run(process.execPath, ['main.mjs'], createCommandOptions(outside))
  await run(process.execPath, ['main.cjs'], createCommandOptions(outside))
}

function createTypeScriptProof(kind: string, options: Readonly<Record<string, string>>): Prove {
  return async (outside) => {
    await install(outside, typed)
    const { folder } = outside
    writeFileSync(join(folder, 'main.ts'), sources.typescript)
    if (kind !== 'bundler') writeFileSync(join(folder, 'required.cts'), sources.typescriptCommonJs)
    const strict = {
      strict: true,
      skipLibCheck: false,
      noUncheckedIndexedAccess: true,
      exactOptionalPropertyTypes: true,
      types: ['node'],
    }
    // without the DOM library, as most programs for Node have it
    const compilerOptions = {
      target: 'es2022',
      lib: ['es2022'],
      ...options,
      ...strict,
      outDir: 'out',
    }
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, include: ['*.ts', '*.cts'] }),
    )
    await run(join(folder, 'node_modules/.bin/tsc'), [], { cwd: folder })
    expectOutput(await run(process.execPath, ['out/main.js'], createCommandOptions(outside)))
    if (kind !== 'bundler')
      expectOutput(await run(process.execPath, ['out/required.cjs'], createCommandOptions(outside)))
  }
}

async function proveCommand(outside: Outside): Promise<void> {
  // the second time the bin of both packages has the same name
  for (const names of [['farebox'], ['farebox', '@farebox/cli']]) {
    await install(outside, names)
    writeFileSync(join(outside.folder, 'fares.txt'), 'Tram fares')
    const output = await run(
      'npx',
      ['--no-install', 'farebox', 'parse', 'fares.txt', '--quiet'],
      createCommandOptions(outside),
    )
    if (!output.includes('Tram fares'))
      throw new Error(
        `Expected the text of the document with ${names.join(' and ')}, found:\n${output}`,
      )
  }
}

async function proveGenerator(outside: Outside): Promise<void> {
  const { folder } = outside
  await install(outside, ['@farebox/codegen', 'typescript@5.9.3', 'zod@4.6.7'])
  writeFileSync(join(folder, 'pets.yaml'), sources.petstore)
  await run(
    'npx',
    ['--no-install', 'farebox-codegen', '--spec', 'pets.yaml', '--out', 'src/api'],
    createCommandOptions(outside),
  )
  writeFileSync(
    join(folder, 'src/main.ts'),
    `import { createClient } from './api/client/index.js'
import { Pet } from './api/zod/index.js'
const client = createClient({ baseUrl: 'http://pets.example', fetch: async () => Response.json({ name: 'Tram fares' }) })
const result = await client.getPet({ petId: 7 })
console.log(JSON.stringify({ text: result.status === 200 ? Pet.parse(result.data).name : result.status, newBalance: 5 }))
`,
  )
  const compilerOptions = {
    target: 'es2022',
    module: 'nodenext',
    strict: true,
    skipLibCheck: true,
    exactOptionalPropertyTypes: true,
    outDir: 'out',
    types: [],
  }
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, include: ['src'] }),
  )
  await run(join(folder, 'node_modules/.bin/tsc'), [], { cwd: folder })
  expectOutput(await run(process.execPath, ['out/main.js'], { cwd: folder }))
}

async function proveVendoredContract({ folder, baseUrl, env }: Outside): Promise<void> {
  const contract: unknown = await (await fetch(new URL('/openapi.json', baseUrl))).json()
  const { version, changelog } = await followContract({ folder, contract, env })
  if (version !== '2.0.0' || !changelog.includes('pages'))
    throw new Error(`Expected 2.0.0 with the new field named, found ${version}:\n${changelog}`)
}

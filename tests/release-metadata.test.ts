import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { listPublished } from '@farebox/release/list-published'
import { listGitFiles, root } from './tree.js'

const packages = listPublished(root)

type Manifest = {
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>
  readonly bin?: Readonly<Record<string, string>>
  readonly publishConfig: { readonly bin?: Readonly<Record<string, string>> }
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly [field: string]: unknown
}

it('uses every version of the catalog', () => {
  const { catalog } = parse(readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8')) as {
    readonly catalog: Readonly<Record<string, string>>
  }
  const manifests = listGitFiles('*package.json').map((file) =>
    readFileSync(join(root, file), 'utf8'),
  )
  expect(Object.keys(catalog).length).toBeGreaterThan(50)
  expect(
    Object.keys(catalog).filter(
      (name) => !manifests.some((manifest) => manifest.includes(`"${name}": "catalog:"`)),
    ),
  ).toEqual([])
})

it('declares ranges for packages that users also install, to avoid duplicates', () => {
  const { catalog } = parse(readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8')) as {
    readonly catalog: Readonly<Record<string, string>>
  }
  expect(
    ['fast-check', 'hono', 'zod'].filter((name) => !(catalog[name] ?? '').startsWith('^')),
  ).toEqual([])
})

it('publishes these packages and no others', () => {
  expect(packages.map(({ name }) => name).sort()).toEqual([
    '@farebox/auth',
    '@farebox/cli',
    '@farebox/client',
    '@farebox/codegen',
    '@farebox/command-line',
    '@farebox/impact',
    '@farebox/local-backends',
    '@farebox/middleware',
    '@farebox/office-text',
    '@farebox/retry',
    '@farebox/service',
    '@farebox/spec-diff',
    '@farebox/types',
    '@farebox/zod',
    'farebox',
  ])
})

it("compiles every package with one compiler, even if tests use the users' one", () => {
  const manifests = listGitFiles(
    'package.json',
    'packages/*/package.json',
    'tools/**/package.json',
    'tests/package.json',
  )
    .filter((path) => path !== 'packages/docs/package.json')
    .map((path) => ({
      path,
      names: Object.keys(
        (JSON.parse(readFileSync(join(root, path), 'utf8')) as Manifest).devDependencies ?? {},
      ),
    }))
  const [atRoot] = manifests.filter(({ path }) => path === 'package.json')
  expect(atRoot?.names).toContain('@typescript/native')
  // pnpm links the `tsc` of the higher version
  expect(
    manifests.filter(
      ({ names }) => names.includes('typescript') && !names.includes('@typescript/native'),
    ),
  ).toEqual([])
})

it('releases the CLI together with the SDK, whose bin runs the same version through npx', () => {
  const { fixed } = JSON.parse(readFileSync(join(root, '.changeset/config.json'), 'utf8')) as {
    readonly fixed: readonly (readonly string[])[]
  }
  expect(fixed).toEqual([['farebox', '@farebox/cli']])
  const findVersion = (wanted: string) => packages.find(({ name }) => name === wanted)?.version
  expect(findVersion('@farebox/cli')).toBe(findVersion('farebox'))
})

describe.each(packages)('$name', ({ folder, path }) => {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
  const readme = readFileSync(join(folder, 'README.md'), 'utf8')

  it('states its repository and license for provenance', () => {
    expect(manifest).toMatchObject({
      description: expect.stringMatching(/^.{30,160}\.$/) as unknown,
      license: 'MIT',
      repository: {
        type: 'git',
        url: 'git+https://github.com/farebox/farebox.git',
        directory: path,
      },
      publishConfig: { access: 'public', provenance: true },
    })
  })

  it('has its homepage, issues, funding and keywords', () => {
    expect(manifest).toMatchObject({
      homepage: `https://github.com/farebox/farebox/tree/main/${path}#readme`,
      bugs: 'https://github.com/farebox/farebox/issues',
      funding: 'https://github.com/sponsors/farebox',
    })
    expect((manifest['keywords'] as readonly string[] | undefined)?.length).toBeGreaterThan(1)
  })

  it('runs on the Node that it promises, as modules without side effects', () => {
    expect(manifest).toMatchObject({
      type: 'module',
      sideEffects: false,
      engines: { node: '>=20.19' },
    })
  })

  it('has no install scripts', () => {
    const scripts = Object.keys((manifest['scripts'] as object | undefined) ?? {})
    expect(scripts.filter((name) => /^(pre|post)?install$|^prepare$/.test(name))).toEqual([])
  })

  it('ships its output and its sources, and no tests', () => {
    // nobody imports a command, so its declarations and the files behind the packed ones stay here
    const output =
      manifest.publishConfig.bin === undefined
        ? ['dist', '!dist/**/*.tsbuildinfo']
        : ['dist/packed']
    expect(manifest['files']).toEqual(
      expect.arrayContaining([...output, 'src', '!src/**/*.test.ts', '!src/**/*.test-d.ts']),
    )
  })

  it('publishes the same exports as here, without the source condition', () => {
    const { publishConfig, scripts } = manifest as unknown as {
      readonly publishConfig: Pick<Manifest, 'exports'>
      readonly scripts?: { prepack?: string }
    }
    const outside = Object.entries(manifest.exports).map(([entry, target]) => {
      if (typeof target === 'string') return [entry, target]
      const { '@farebox/source': _, types, default: code = '' } = target
      const packed =
        scripts?.prepack === undefined ? code : code.replace('./dist/', './dist/packed/')
      // what every program imports opens as few files there as it can
      const node = manifest['name'] === '@farebox/client' && {
        node: packed.replace('/packed/', '/packed/node/'),
      }
      return [entry, { types, ...node, default: packed }]
    })
    expect(publishConfig.exports).toEqual(Object.fromEntries(outside))
  })

  it('publishes the same commands as here', () => {
    const { bin } = manifest.publishConfig
    if (bin === undefined) return
    const packed = Object.entries(manifest.bin ?? {}).map(([name, path]) => [
      name,
      path.replace('./dist/', './dist/packed/'),
    ])
    expect(bin).toEqual(Object.fromEntries(packed))
    expect(Object.keys(manifest.exports)).toEqual(['./package.json'])
  })

  it('lists types before code for every entry, with the source of each', () => {
    for (const target of Object.values(manifest.exports)) {
      if (typeof target === 'string') continue
      expect(Object.keys(target)).toEqual(['@farebox/source', 'types', 'default'])
      expect(existsSync(join(folder, target['@farebox/source'] ?? ''))).toBe(true)
    }
  })

  it('has commands with a node shebang', () => {
    for (const target of Object.values(manifest.bin ?? {})) {
      const source = join(folder, target.replace('./dist/', './src/').replace(/\.js$/, '.ts'))
      expect(readFileSync(source, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/)
    }
  })

  it('depends only on packages with a version, which pnpm writes to the packed manifest', () => {
    const ranges = Object.entries({
      ...(manifest['dependencies'] as object),
      ...(manifest['optionalDependencies'] as object | undefined),
      ...(manifest['devDependencies'] as object),
    })
    const names = ranges.flatMap(([name, range]) =>
      String(range).startsWith('workspace:') ? [name] : [],
    )
    expect(names.filter((name) => findVersion(folder, name) === undefined)).toEqual([])
  })

  it('has a README with an example and its size', () => {
    expect(readme).toMatch(/^```(ts|sh)$/m)
    expect(readme).toMatch(/\d kB/)
  })
})

function findVersion(folder: string, name: string): unknown {
  return (
    JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')) as Manifest
  )['version']
}

import { existsSync, readdirSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { Node, SyntaxKind, type SourceFile } from 'ts-morph'
import { describe, expect, it } from 'vitest'
import { root, readSource } from './tree.js'

/** Which of our packages each package may import. `type` after a name: only its types. */
const packageArrows: Record<string, readonly string[]> = {
  types: [],
  middleware: [],
  zod: ['types type'],
  arbitraries: ['types type'],
  mcp: [],
  auth: ['middleware', 'types'],
  retry: ['middleware', 'types'],
  client: ['types', 'middleware'],
  // mcp is for the command alone
  farebox: ['client', 'auth', 'retry', 'middleware', 'types', 'mcp'],
  'office-text': [],
  'local-backends': ['types'],
  'command-line': [],
  conformance: ['farebox', 'auth', 'retry', 'types', 'zod'],
  // the service is loaded late, where it is installed
  cli: [
    'farebox',
    'mcp',
    'conformance',
    'auth',
    'client',
    'command-line',
    'middleware',
    'types',
    'service type',
  ],
  // the local test models are loaded late, where they are installed
  service: ['types', 'zod', 'auth/verify', 'office-text', 'command-line', 'local-backends'],
}

/** Which of our packages each tool may import. */
const toolArrows: Record<string, readonly string[]> = {
  codegen: ['command-line'],
  'lint-rules': [],
  'spec-diff': ['codegen', 'command-line'],
  impact: ['codegen', 'command-line', 'spec-diff'],
  quickstart: ['farebox', 'auth', 'client', 'command-line', 'service'],
}

/** Which of our packages may be imported by each tool that only runs here. */
const internalArrows: Record<string, readonly string[]> = {
  testing: [],
  release: ['testing', 'command-line'],
  scaffold: ['command-line'],
  reference: ['auth', 'codegen', 'middleware', 'types', 'zod'],
  site: ['auth', 'codegen', 'reference', 'testing', 'command-line'],
  // it runs the built command of the service and imports nothing of it
  faults: ['auth', 'command-line', 'conformance', 'testing', 'types'],
  compat: ['auth', 'middleware', 'retry', 'testing'],
  bench: [
    'auth',
    'client',
    'command-line',
    'conformance',
    'codegen',
    'farebox',
    'faults',
    'middleware',
    'release',
    'retry',
    'service',
    'testing',
    'types',
  ],
}

/**
 * Which stage of the generator each stage may import. Same-stage imports are free, but for
 * emitters.
 */
const stageArrows: Record<string, readonly string[]> = {
  ir: [],
  'ir/build': ['ir', 'document', 'diagnostics'],
  document: ['diagnostics'],
  formats: [],
  validate: ['ir', 'ir/build', 'document', 'diagnostics', 'formats'],
  diagnostics: ['ir'],
  emit: ['ir'],
  // the renderer of the output docs, one module from tools/internal/reference
  emitters: ['emit', 'ir', 'prepared'],
  pipeline: [
    'diagnostics',
    'document',
    'select',
    'isolate',
    'ir',
    'ir/build',
    'validate',
    'emit',
    'emitters',
  ],
  config: ['pipeline', 'document', 'select', 'emit'],
  command: ['config', 'pipeline', 'diagnostics', 'document', 'select', 'emit', 'emitters'],
}

/**
 * The layers of the service, the lowest first. A file imports its own layer and lower ones. `app`
 * also reads the generated document.
 */
const serviceLayers = ['platform', 'domain', 'contract', 'handlers', 'http', 'app', 'command']

type Import = { readonly from: string; readonly to: string; readonly typeOnly: boolean }

describe('imports between packages', () => {
  it('are declared for every package and every tool', () => {
    const named = (folder: string, arrows: typeof packageArrows, others: readonly string[] = []) =>
      expect([...Object.keys(arrows), ...others].toSorted()).toEqual(listFolders(folder))
    // nobody imports the site, and it may import everything
    named('packages', packageArrows, ['docs'])
    named('tools', toolArrows)
    named('tools/internal', internalArrows)
  })

  const members = Object.entries({
    packages: packageArrows,
    tools: toolArrows,
    'tools/internal': internalArrows,
  }).flatMap(([parent, arrows]) =>
    Object.entries(arrows).map(([name, allowed]) => ({
      name,
      folder: `${parent}/${name}`,
      allowed,
    })),
  )
  for (const { name, folder, allowed } of members) {
    it(`${name} imports ${allowed.length === 0 ? 'nothing of ours' : `only ${allowed.join(', ')}`}`, () => {
      const wrong = listImports(join(root, folder, 'src'))
        .filter(({ to }) => to.startsWith('@farebox/') || to === 'farebox')
        .filter(({ to, typeOnly }) => {
          const target = to.replace('@farebox/', '')
          const admitted = allowed.some((arrow) => {
            const [path = '', kind] = arrow.split(' ')
            return (
              (target === path || target.startsWith(`${path}/`)) && (kind === undefined || typeOnly)
            )
          })
          return !admitted
        })
      expect(wrong).toEqual([])
    })
  }

  it('nothing imports the site', () => {
    const wrong = ['packages', 'tools']
      .flatMap((folder) => listImports(join(root, folder)))
      .filter(({ to }) => to.startsWith('@farebox/docs'))
    expect(wrong).toEqual([])
  })

  it("no package imports another one's internals", () => {
    const wrong = ['packages', 'tools']
      .flatMap((folder) => listImports(join(root, folder)))
      .filter(({ to }) => /^@farebox\/[^/]+\/(src|dist)/.test(to))
    expect(wrong).toEqual([])
  })
})

describe('imports inside the generator', () => {
  const source = join(root, 'tools/codegen/src')

  for (const [stage, allowed] of Object.entries(stageArrows)) {
    it(`${stage} imports ${allowed.length === 0 ? 'no other stage' : `only ${allowed.join(', ')}`}`, () => {
      const wrong = listImports(source)
        .filter(({ from }) => findStage(relative(source, from)) === stage)
        .filter(({ to }) => to.startsWith('.'))
        .map((line) => ({
          ...line,
          target: findStage(relative(source, join(line.from, '..', line.to))),
        }))
        .filter(({ target }) => target !== stage && !allowed.includes(target))
      expect(wrong).toEqual([])
    })
  }

  it('no emitter imports another', () => {
    const wrong = listImports(join(source, 'emitters'))
      .filter(({ from }) => !from.endsWith(`emitters${sep}index.ts`))
      .filter(({ to }) => to.startsWith('./'))
      .filter(({ from, to }) => findFolder(from) !== findFolder(join(from, '..', to)))
    expect(wrong).toEqual([])
  })

  it('the model and the emitters use no disk, clock, randomness or network', () => {
    const wrong = ['ir', 'emit', 'emitters']
      .flatMap((stage) => listImports(join(source, stage)))
      .filter(({ to }) => to.startsWith('node:'))
    expect(wrong).toEqual([])
  })
})

describe('imports inside the service', () => {
  const source = join(root, 'packages/service/src')
  const imports = () =>
    listImports(source)
      .filter(({ to }) => to.startsWith('.'))
      .map(({ from, to }) => ({
        from: relative(source, from),
        to: relative(source, join(from, '..', to)),
      }))

  for (const [height, layer] of serviceLayers.entries()) {
    const lower = serviceLayers.slice(0, height)
    it(`${layer} imports ${lower.length === 0 ? 'no other layer' : `only ${lower.join(', ')}`}`, () => {
      const own = imports().filter(({ from }) => from.startsWith(`${layer}${sep}`))
      expect(own.length).toBeGreaterThan(5)
      const allowed = [layer, ...lower, ...(layer === 'app' ? ['generated'] : [])]
      expect(own.filter(({ to }) => !allowed.includes(to.split(sep)[0] ?? ''))).toEqual([])
    })
  }

  it('no folder imports itself through others', () => {
    const folderOfFile = (path: string) => path.split(sep).slice(0, -1).join(sep)
    const lines = imports().flatMap(({ from, to }): Import[] => {
      const [folder, target] = [folderOfFile(from), folderOfFile(to)]
      if (folder === target) return []
      return [
        {
          from: join(root, folder, 'index.ts'),
          to: `./${relative(folder, target)}/index.js`,
          typeOnly: false,
        },
      ]
    })
    expect(findCycles(lines)).toEqual([])
  })

  it('only the HTTP layer imports HTTP errors', () => {
    expect(
      imports().filter(
        ({ from, to }) => to.endsWith('http/reply.js') && !from.startsWith(`http${sep}`),
      ),
    ).toEqual([])
  })
})

describe('import cycles', () => {
  for (const member of ['packages', 'tools', 'tools/internal'].flatMap((folder) =>
    listFolders(folder).map((name) => `${folder}/${name}`),
  )) {
    it(`no file of ${member} imports itself through others`, () => {
      expect(findCycles(listImports(join(root, member)))).toEqual([])
    })
  }

  for (const member of ['packages', 'tools', 'tools/internal'].flatMap((folder) =>
    listFolders(folder).map((name) => `${folder}/${name}`),
  )) {
    it(`no folders of ${member} import each other`, () => {
      const pairs = listImports(join(root, member)).flatMap(({ from, to }) => {
        const [one, other] = [dirname(from), dirname(join(from, '..', to))]
        // a folder puts those within it together, so the two belong to each other
        return !to.startsWith('.') || one === other || isWithin(one, other) || isWithin(other, one)
          ? []
          : [[one, other] as const]
      })
      const known = new Set(pairs.map((pair) => pair.join(' ')))
      const mutual = pairs
        .filter(([one, other]) => known.has(`${other} ${one}`))
        .map((pair) => pair.map((one) => relative(root, one)).join(' → '))
      expect([...new Set(mutual)]).toEqual([])
    })
  }

  it('finds a cycle of three files, and of type-only imports', () => {
    const line = (from: string, to: string, typeOnly = false): Import => ({
      from: join(root, from),
      to,
      typeOnly,
    })
    const lines = [
      line('a.ts', './b.js'),
      line('b.ts', './c.js', true),
      line('c.ts', './a.js'),
      line('d.ts', './a.js'),
    ]
    expect(findCycles(lines)).toEqual([['a.ts', 'b.ts', 'c.ts']])
  })
})

/**
 * Each cycle of files, as the files on it. Type-only imports count in code that people write; the
 * emitters split generated files by what a bundler keeps, so there only imports at run time count.
 */
function findCycles(lines: readonly Import[]): readonly (readonly string[])[] {
  const targets = new Map<string, string[]>()
  for (const { from, to, typeOnly } of lines) {
    if (!to.startsWith('.') || (typeOnly && from.includes(`${sep}generated${sep}`))) continue
    targets.set(from, [...(targets.get(from) ?? []), toSourcePath(join(from, '..', to))])
  }
  const cycles: string[][] = []
  const done = new Set<string>()
  const visit = (file: string, path: readonly string[]): void => {
    const start = path.indexOf(file)
    if (start !== -1) cycles.push(path.slice(start).map((one) => relative(root, one)))
    if (start !== -1 || done.has(file)) return
    for (const target of targets.get(file) ?? []) visit(target, [...path, file])
    done.add(file)
  }
  for (const file of targets.keys()) visit(file, [])
  return cycles
}

function isWithin(folder: string, around: string): boolean {
  return folder.startsWith(`${around}${sep}`)
}

/** The file that an import of `.js` is compiled from. */
function toSourcePath(path: string): string {
  const [typescript, markup] = ['.ts', '.tsx'].map((ending) => path.replace(/\.js$/, ending)) as [
    string,
    string,
  ]
  return existsSync(markup) ? markup : typescript
}

function listFolders(folder: string): readonly string[] {
  const isMember = (name: string): boolean => existsSync(join(root, folder, name, 'package.json'))
  return readdirSync(join(root, folder)).filter(isMember).toSorted()
}

function findStage(path: string): string {
  const parts = path.split(sep)
  if (parts[0] === '..') return parts[1] ?? ''
  if (parts[0] === 'ir' && (parts[1] ?? '').startsWith('build')) return 'ir/build'
  return (parts[0] ?? '').replace(/\.(ts|js)$/, '')
}

/**
 * An emitter is a file, or a folder of files when it is large: `emitters/zod.ts`,
 * `emitters/zod/*.ts`.
 */
function findFolder(path: string): string {
  const [name = ''] = relative(join(root, 'tools/codegen/src/emitters'), path).split(sep)
  return name.replace(/\.(ts|js)$/, '')
}

function listImports(folder: string): readonly Import[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory())
      return ['node_modules', 'dist', 'fixtures', '.tmp'].includes(entry.name)
        ? []
        : listImports(path)
    return entry.isFile() &&
      /\.tsx?$/.test(entry.name) &&
      !/\.(test|test-d|d)\.ts$/.test(entry.name)
      ? readImports(path)
      : []
  })
}

const read = new Map<string, readonly Import[]>()

/** Each file is read once, however many cases ask for it. */
function readImports(from: string): readonly Import[] {
  const known = read.get(from) ?? parseImports(from)
  read.set(from, known)
  return known
}

/** Reads the syntax, as generators hold import lines in their texts. */
function parseImports(from: string): readonly Import[] {
  const file = readSource(relative(root, from))
  const lines = [...file.getImportDeclarations(), ...file.getExportDeclarations()].flatMap(
    (line): Import[] => {
      const to = line.getModuleSpecifierValue()
      return to === undefined ? [] : [{ from, to, typeOnly: line.isTypeOnly() }]
    },
  )
  const late = file.getFullText().includes('import(')
    ? listDynamicImports(file).map((to) => ({ from, to, typeOnly: false }))
    : []
  return [...lines, ...late]
}

/** The modules of `import('…')`. */
function listDynamicImports(file: SourceFile): readonly string[] {
  return file.getDescendantsOfKind(SyntaxKind.CallExpression).flatMap((call) => {
    const [module] = call.getArguments()
    return Node.isImportExpression(call.getExpression()) && Node.isStringLiteral(module)
      ? [module.getLiteralValue()]
      : []
  })
}

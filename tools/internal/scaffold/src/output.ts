import { createChangeset, createNewFile, type Addition, type SourceReader } from './addition.js'
import { addImport, addToTable, editSource, insert } from './edit-source.js'
import { requireCamelCase, toKebab, toSentence } from './names.js'

/**
 * Adds an output that prints a type for each schema, and its published package. `typeText` covers
 * every kind of schema, so the first version is complete.
 */
export function addOutput(options: { readonly name: string }, read: SourceReader): Addition {
  const name = requireCamelCase(options.name)
  const folder = toKebab(name)
  const emitters = 'tools/codegen/src/emitters'
  const own = `packages/${folder}`
  return {
    files: [
      createNewFile(`${emitters}/${folder}.ts`, printEmitter(name, folder)),
      createNewFile(`${emitters}/${folder}.test.ts`, printEmitterTest(name, folder)),
      editSource(`${emitters}/index.ts`, read, (source) => {
        addImport(source, `./${folder}.js`, name)
        source.getVariableDeclarationOrThrow('published').setInitializer((writer) => {
          writer.write(
            source
              .getVariableDeclarationOrThrow('published')
              .getInitializerOrThrow()
              .getText()
              .replace(/,?\s*\]$/, `, ${name}]`),
          )
        })
      }),
      createNewFile(`${own}/package.json`, printManifest(name, folder)),
      createNewFile(`${own}/tsconfig.json`, tsconfig),
      createNewFile(`${own}/tsconfig.test.json`, tsconfigTest),
      createNewFile(`${own}/turbo.json`, turbo),
      createNewFile(`${own}/README.md`, printReadme(folder)),
      createNewFile(`${own}/src/index.test.ts`, packageTest),
      insert(
        'tsconfig.json',
        read,
        { after: `"path": "packages/mcp" },\n` },
        `    { "path": "${own}" },\n`,
      ),
      insert(
        'README.md',
        read,
        { before: '| [`@farebox/codegen`]' },
        `| [\`@farebox/${folder}\`](${own}) | ${toSentence(name)}: a type for each schema |\n`,
      ),
      // no package needs it, so that nothing else has it built before the checks of the whole tree
      insert(
        'turbo.json',
        read,
        { before: `        "@farebox/quickstart#build",\n        "@farebox/scaffold#build",` },
        `        "@farebox/${folder}#build",\n`,
      ),
      insert('packages/docs/src/sidebar.mjs', read, { after: `  'zod',\n` }, `  '${folder}',\n`),
      insert(
        'tools/internal/site/src/packages.ts',
        read,
        { after: `    'zod',\n` },
        `    '${folder}',\n`,
      ),
      editSource('tools/spec-diff/src/changeset/owners.ts', read, (source) =>
        addToTable(source, 'carriedBy', name, `['types']`),
      ),
      editSource('tests/arrows.test.ts', read, (source) =>
        addToTable(source, 'packageArrows', folder, '[]'),
      ),
      withPublished(`@farebox/${folder}`, read),
      createChangeset(
        `output-${folder}`,
        {
          '@farebox/codegen': 'minor',
          [`@farebox/${folder}`]: 'minor',
          '@farebox/spec-diff': 'patch',
        },
        `The output \`${name}\` and its package.`,
      ),
    ],
    next: [
      `${emitters}/${folder}.ts: decide what it prints, and whether it stays "optional"; the other rules are in CONTRIBUTING.md`,
      `${emitters}/${folder}.test.ts: expect the lines, then import what was generated and use it`,
      `tools/spec-diff/src/changeset/owners.ts: decide which verdicts "${name}" carries; now those of the types`,
      `${own}/package.json, ${own}/README.md, README.md and .changeset/output-${folder}.md: describe it`,
      'pnpm install, for the lock file',
      'pnpm generate',
      'npx vitest run tests/public-surface.test.ts -u, and read its diff',
      'pnpm test && pnpm check',
    ],
  }
}

/** The list of published packages stands in a test on purpose, in the order of the alphabet. */
function withPublished(added: string, read: SourceReader) {
  const path = 'tests/release-metadata.test.ts'
  const listed = [...read(path).matchAll(/^ {4}'(@farebox\/[\w-]+)',$/gm)].map(
    ([, name = '']) => name,
  )
  const next = listed.find((name) => name > added)
  return insert(
    path,
    read,
    { before: next === undefined ? `    'farebox',\n` : `    '${next}',\n` },
    `    '${added}',\n`,
  )
}

function printEmitter(name: string, folder: string): string {
  return `import { code, sourceFile, type Code } from '../emit/code.js'
import type { Emitter } from '../emit/emitter.js'
import { docComment, describeOrigin } from '../emit/literal.js'
import { typeText } from '../emit/type-text.js'
import type { Api, NamedSchema } from '../ir/api.js'

/** A type for each schema. */
export const ${name}: Emitter = {
  name: '${name}',
  into: 'packages/${folder}/src/generated',
  optional: true,
  emit: (api) => [sourceFile('index.ts', api.schemas.map((schema) => declaration(api, schema)))],
}

function declaration(api: Api, { name, schema, origin }: NamedSchema): Code {
  const type = typeText(schema, { named: (other) => code\`\${other}\`, binary: code\`Uint8Array\` })
  return code\`\${docComment([schema.notes.description, describeOrigin(api, origin)])}export type \${name} = \${type}\`
}
`
}

function printEmitterTest(name: string, folder: string): string {
  return `import { expect, it } from 'vitest'
import { buildSmallApi } from '../../test/small-api.js'
import { renderFile } from '../emit/code.js'
import { ${name} } from './${folder}.js'

it('declares a type for each schema', async () => {
  const api = await buildSmallApi()
  const [file] = ${name}.emit(api)
  const text = file && renderFile(file, { banner: '', resolve: (module) => module })
  for (const schema of api.schemas) expect(text).toContain(\`export type \${schema.name} = \`)
})
`
}

const createEntries = (condition: object) => ({
  '.': { ...condition, types: './dist/generated/index.d.ts', default: './dist/generated/index.js' },
  './package.json': './package.json',
})

function printManifest(name: string, folder: string): string {
  return printJson({
    name: `@farebox/${folder}`,
    version: '0.0.0',
    description: `${toSentence(name)}: a type for each schema of the Farebox inference API.`,
    license: 'MIT',
    homepage: `https://github.com/farebox/farebox/tree/main/packages/${folder}#readme`,
    bugs: 'https://github.com/farebox/farebox/issues',
    funding: 'https://github.com/sponsors/farebox',
    keywords: ['openapi', name],
    repository: {
      type: 'git',
      url: 'git+https://github.com/farebox/farebox.git',
      directory: `packages/${folder}`,
    },
    type: 'module',
    sideEffects: false,
    engines: { node: '>=20.19' },
    files: ['dist', 'src', '!src/**/*.test.ts', '!src/**/*.test-d.ts', '!dist/**/*.tsbuildinfo'],
    scripts: {
      generate: `cd ../.. && node tools/codegen/dist/cli.js --only ${name} \${CI:+--check}`,
      build: 'tsc -b',
      test: 'vitest run --config ../../vitest.config.ts',
      package: 'pnpm pack --out .packed/package.tgz && publint run --strict .packed/package.tgz',
    },
    exports: createEntries({ '@farebox/source': './src/generated/index.ts' }),
    publishConfig: { access: 'public', provenance: true, exports: createEntries({}) },
  })
}

const tsconfig = printJson({
  extends: '../../tsconfig.base.json',
  compilerOptions: { rootDir: 'src', outDir: 'dist', tsBuildInfoFile: 'dist/.tsbuildinfo' },
  include: ['src'],
  exclude: ['src/**/*.test.ts', 'src/**/*.test-d.ts'],
  references: [],
})

const tsconfigTest = printJson({
  extends: '../../tsconfig.test.json',
  files: [],
  include: ['src'],
  exclude: [],
  references: [],
})

const turbo = printJson({
  extends: ['//'],
  tasks: { build: { dependsOn: ['$TURBO_EXTENDS$', 'generate'] } },
})

const packageTest = `import { expect, it } from 'vitest'
import type { ParsedText } from './generated/index.js'

it('has the schemas of the contract', () => {
  const parsed: ParsedText = { text: 'Hello', tokens: 1 }
  expect(parsed.tokens).toBe(1)
})
`

function printReadme(folder: string): string {
  return `# @farebox/${folder}

A type for each schema of the inference API. Generated from \`spec/\`. It adds 0 kB to a bundle.

\`\`\`ts
import type { ParsedText } from '@farebox/${folder}'

export const parsed: ParsedText = { text: 'Hello', tokens: 1 }
\`\`\`

\`src/generated\` is written by \`pnpm generate\`. Change \`spec/\` instead.
`
}

function printJson(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

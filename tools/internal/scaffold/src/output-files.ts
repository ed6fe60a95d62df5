import { toSentence } from './names.js'

export function emitterText(name: string, folder: string): string {
  return `import { code, sourceFile, type Code } from '../emit/code.js'
import type { Emitter } from '../emit/emitter.js'
import { docComment, originLine } from '../emit/literal.js'
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
  return code\`\${docComment([schema.notes.description, originLine(api, origin)])}export type \${name} = \${type}\`
}
`
}

export function emitterTest(name: string, folder: string): string {
  return `import { expect, it } from 'vitest'
import { smallApi } from '../../test/small-api.js'
import { renderFile } from '../emit/code.js'
import { ${name} } from './${folder}.js'

it('declares a type for each schema', async () => {
  const api = await smallApi()
  const [file] = ${name}.emit(api)
  const text = file && renderFile(file, { banner: '', resolve: (module) => module })
  for (const schema of api.schemas) expect(text).toContain(\`export type \${schema.name} = \`)
})
`
}

const entries = (condition: object) => ({
  '.': { ...condition, types: './dist/index.d.ts', default: './dist/index.js' },
  './package.json': './package.json',
})

export function manifest(name: string, folder: string): string {
  return json({
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
    exports: entries({ '@farebox/source': './src/index.ts' }),
    publishConfig: { access: 'public', provenance: true, exports: entries({}) },
  })
}

export const tsconfig = json({
  extends: '../../tsconfig.base.json',
  compilerOptions: { rootDir: 'src', outDir: 'dist', tsBuildInfoFile: 'dist/.tsbuildinfo' },
  include: ['src'],
  exclude: ['src/**/*.test.ts', 'src/**/*.test-d.ts'],
  references: [],
})

export const tsconfigTest = json({
  extends: '../../tsconfig.test.json',
  files: [],
  include: ['src'],
  exclude: [],
  references: [],
})

export const turbo = json({
  extends: ['//'],
  tasks: { build: { dependsOn: ['$TURBO_EXTENDS$', 'generate'] } },
})

export const packageTest = `import { expect, it } from 'vitest'
import type { ParsedText } from './index.js'

it('has the schemas of the contract', () => {
  const parsed: ParsedText = { text: 'Hello', tokens: 1 }
  expect(parsed.tokens).toBe(1)
})
`

export function readme(folder: string): string {
  return `# @farebox/${folder}

A type for each schema of the inference API. Generated from \`spec/\`. It adds 0 kB to a bundle.

\`\`\`ts
import type { ParsedText } from '@farebox/${folder}'

export const parsed: ParsedText = { text: 'Hello', tokens: 1 }
\`\`\`

\`src/generated\` is written by \`pnpm generate\`. Change \`spec/\` instead.
`
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

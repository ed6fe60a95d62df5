import { changeset, newFile, type Addition, type Read } from './addition.js'
import { addImport, addToTable, editSource, insert } from './edit-source.js'
import { camelName, toKebab, toSentence } from './names.js'
import {
  emitterTest,
  emitterText,
  manifest,
  packageTest,
  readme,
  tsconfig,
  tsconfigTest,
  turbo,
} from './output-files.js'

/**
 * Adds an output that prints a type for each schema, and its published package. `typeText` covers
 * every kind of schema, so the first version is complete.
 */
export function output(options: { readonly name: string }, read: Read): Addition {
  const name = camelName(options.name)
  const folder = toKebab(name)
  const emitters = 'tools/codegen/src/emitters'
  const own = `packages/${folder}`
  return {
    files: [
      newFile(`${emitters}/${folder}.ts`, emitterText(name, folder)),
      newFile(`${emitters}/${folder}.test.ts`, emitterTest(name, folder)),
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
      newFile(`${own}/package.json`, manifest(name, folder)),
      newFile(`${own}/tsconfig.json`, tsconfig),
      newFile(`${own}/tsconfig.test.json`, tsconfigTest),
      newFile(`${own}/turbo.json`, turbo),
      newFile(`${own}/README.md`, readme(folder)),
      newFile(`${own}/src/index.ts`, `export * from './generated/index.js'\n`),
      newFile(`${own}/src/index.test.ts`, packageTest),
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
      changeset(
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
function withPublished(added: string, read: Read) {
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

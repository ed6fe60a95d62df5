import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ModuleKind, ModuleResolutionKind, Project, ScriptTarget } from 'ts-morph'
import { createEntrySection, takeFirstSentence } from './entry-section.js'
import { root } from './folders.js'

/** The documented packages, in the order of the sidebar. */
const packages: readonly (readonly [name: string, folder: string])[] = [
  ['farebox', 'packages/farebox'],
  ...[
    'cli',
    'client',
    'auth',
    'retry',
    'middleware',
    'types',
    'zod',
    'service',
    'local-backends',
  ].map(locatePackage),
  ['@farebox/codegen', 'tools/codegen'],
  ['@farebox/spec-diff', 'tools/spec-diff'],
  ['@farebox/impact', 'tools/impact'],
]

function locatePackage(name: string): readonly [name: string, folder: string] {
  return [`@farebox/${name}`, `packages/${name}`]
}

/** A page of the site. */
export type Page = { readonly slug: string; readonly markdown: string }

type Entry = { readonly specifier: string; readonly file: string }
type PackageDescription = {
  readonly name: string
  readonly readme: string
  /** The address where the README is edited. */
  readonly edit: string
  readonly description: string
  readonly entries: readonly Entry[]
}
type Manifest = {
  readonly description?: string
  readonly repository: { readonly url: string }
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>
}

/** Creates a page with the README of each package, and one with the exports of each entry point. */
export function createPackagePages(): readonly Page[] {
  const described = packages.map(([name, folder]) => describe(name, folder))
  // one project, because the packages share most of their files
  const project = new Project({
    skipAddingFilesFromTsConfig: true,
    compilerOptions: {
      target: ScriptTarget.ES2022,
      module: ModuleKind.NodeNext,
      moduleResolution: ModuleResolutionKind.NodeNext,
      customConditions: ['@farebox/source'],
      skipLibCheck: true,
      strict: true,
      noEmit: true,
    },
  })
  project.addSourceFilesAtPaths(described.flatMap(({ entries }) => entries.map(({ file }) => file)))
  return described.flatMap((one, order) => [
    { slug: toSlug(one.name), markdown: createReadmePage(one, order) },
    ...one.entries.flatMap((entry, index) =>
      createEntryPages(one, entry, order + (index + 1) / 10, project),
    ),
  ])
}

function describe(name: string, folder: string): PackageDescription {
  const manifest = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest
  const readme = readFileSync(join(root, folder, 'README.md'), 'utf8').replace(/^# .*\n/, '')
  const entries = Object.entries(manifest.exports).flatMap(([key, conditions]): Entry[] => {
    const source = typeof conditions === 'object' ? conditions['@farebox/source'] : undefined
    return source === undefined || !existsSync(join(root, folder, source))
      ? []
      : [{ specifier: name + key.slice(1), file: join(root, folder, source) }]
  })
  const edit = `${manifest.repository.url.replaceAll(/^git\+|\.git$/g, '')}/edit/main/${folder}/README.md`
  return {
    name,
    readme,
    edit,
    entries,
    description: takeFirstSentence(manifest.description ?? readme),
  }
}

function createReadmePage(
  { name, readme, edit, entries, description }: PackageDescription,
  order: number,
): string {
  const exported = entries.map(
    (entry) => `[\`${entry.specifier}\`](/packages/${toEntrySlug({ name }, entry)}/)`,
  )
  return [
    ...printFrontMatter(name, description, order, JSON.stringify(edit)),
    removeRelativeLinks(readme),
    ...(exported.length === 0
      ? []
      : [`## Exports\n\nWhat each entry point exports: ${exported.join(', ')}.`]),
    '',
  ].join('\n')
}

function createEntryPages(
  described: PackageDescription,
  entry: Entry,
  order: number,
  project: Project,
): readonly Page[] {
  const { name, entries } = described
  const { specifier, file } = entry
  const title = specifier === name ? `Exports of ${name}` : specifier
  const others = entries.slice(entries.indexOf(entry) + 1).map((other) => ({
    specifier: other.specifier,
    file: project.getSourceFileOrThrow(other.file),
    address: `/packages/${toEntrySlug({ name }, other)}/`,
  }))
  const { main, types } = createEntrySection(specifier, project.getSourceFileOrThrow(file), others)
  const slug = toEntrySlug(described, entry)
  const page = (of: string, description: string, place: number, text: string): string =>
    [...printFrontMatter(of, description, place), text, ''].join('\n')
  if (types === undefined)
    return [{ slug, markdown: page(title, `What ${specifier} exports.`, order, main) }]
  const link = `Its types are on [a page of their own](/packages/${slug}-types/).`
  return [
    {
      slug,
      markdown: page(
        title,
        `The functions and classes of ${specifier}.`,
        order,
        `${link}\n\n${main}`,
      ),
    },
    {
      slug: `${slug}-types`,
      markdown: page(`Types of ${specifier}`, `The types of ${specifier}.`, order + 0.01, types),
    },
  ]
}

/** `edit` is the address where the page is edited. Pages generated from code have none. */
function printFrontMatter(
  title: string,
  description: string,
  order: number,
  edit = 'false',
): readonly string[] {
  const lines = [
    `title: ${JSON.stringify(title)}`,
    `description: ${JSON.stringify(description)}`,
    `sidebar: { order: ${order} }`,
    `editUrl: ${edit}`,
  ]
  return ['---', ...lines, '---']
}

function toSlug(specifier: string): string {
  return specifier.replace('@farebox/', '').replaceAll('/', '-')
}

/** The main entry point has the package's own name. */
function toEntrySlug({ name }: Pick<PackageDescription, 'name'>, { specifier }: Entry): string {
  return specifier === name ? `${toSlug(name)}-exports` : toSlug(specifier)
}

/** Files of the repository are not part of the site. */
function removeRelativeLinks(text: string): string {
  return text.replaceAll(/\[([^\]]+)\]\((?!https?:|#)[^)]+\)/g, '$1')
}

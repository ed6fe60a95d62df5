import type { Tool } from '@farebox/mcp'
import { readFileSync } from 'node:fs'
import type { Serving } from './protocol-server.js'
import { readStringField } from '../calls/estimate-price.js'
import type { ToolResult } from './tool-result.js'

const maxResults = 8
const annotations = { readOnlyHint: true, idempotentHint: true, destructiveHint: false } as const

const tools: readonly Tool[] = [
  {
    name: 'searchDocs',
    title: 'Search the documentation',
    description:
      'Finds pages about Farebox by words or by a question, best first: its SDK, command, service, API and generator.',
    inputSchema: createInputSchema('query', 'Such as: how do I cap what a wallet spends'),
    annotations,
  },
  {
    name: 'readDoc',
    title: 'Read a page of the documentation',
    description: 'Returns a page as Markdown. Links between pages are paths that this tool takes.',
    inputSchema: createInputSchema(
      'page',
      'Its path as searchDocs prints it, such as guides/video',
    ),
    annotations,
  },
]

/** The site for a model: search it and read its pages, without a network and without credentials. */
export function createDocsServing(pages: readonly DocsPage[]): Serving {
  const search = searchPages(pages)
  return {
    tools,
    resources: [],
    instructions:
      'The documentation of Farebox. Search it before you guess the name of a function, an option or a code.',
    call: (name, input) => Promise.resolve(callTool(name, input)),
  }

  function callTool(name: string, input: Readonly<Record<string, unknown>>): ToolResult {
    if (name === 'searchDocs') return find(readStringField(input, 'query') ?? '')
    if (name === 'readDoc') return read(readStringField(input, 'page') ?? '')
    return createFailure(
      `There is no tool ${JSON.stringify(name)}. The tools are: searchDocs, readDoc.`,
    )
  }

  function find(query: string): ToolResult {
    const pages = search(query, maxResults)
    if (pages.length === 0)
      return createTextResult(`No page has these words: ${JSON.stringify(query)}. Try others.`)
    return createTextResult(
      pages
        .map(
          ({ page, excerpt }) => `- ${page.path}: ${page.title}. ${page.description}\n  ${excerpt}`,
        )
        .join('\n'),
    )
  }

  function read(pagePath: string): ToolResult {
    const path = pagePath.replace(/#.*$/, '').replace(/^\/|\/$|\.md$/g, '')
    const page = pages.find((one) => one.path === path)
    if (page !== undefined) return createTextResult(page.text)
    const near = search(path.replaceAll(/[/-]/g, ' '), 3).map((match) => match.page.path)
    return createFailure(
      `There is no page ${JSON.stringify(pagePath)}. ${near.length === 0 ? 'Use searchDocs.' : `Near it: ${near.join(', ')}.`}`,
    )
  }
}

function createInputSchema(name: string, description: string): Tool['inputSchema'] {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: { [name]: { type: 'string', minLength: 1, description } },
    required: [name],
    additionalProperties: false,
  }
}

function createTextResult(content: string): ToolResult {
  return { content: [{ type: 'text', text: content }] }
}

function createFailure(reason: string): ToolResult {
  return { ...createTextResult(reason), isError: true }
}

type FoundPage = { readonly page: DocsPage; readonly excerpt: string }

/** What a word counts in each part of a page. */
const weights = { title: 6, words: 5, path: 4, description: 3, text: 1 } as const

/** Words of questions, which say nothing about the page. */
const ignored = new Set(
  'a an and are be can do does for from get how i in is it make my of on or the to use what when where which with you your'.split(
    ' ',
  ),
)

/** How soon a word that is repeated counts no more, and how much long pages count less (BM25). */
const saturation = 1.2
const lengthPenalty = 0.6

type Search = (query: string, most: number) => readonly FoundPage[]

/** A search over the pages, best first. It ranks by BM25, with titles above text. */
function searchPages(pages: readonly DocsPage[]): Search {
  const indexed = pages.map((page) => ({ page, counts: countWords(page) }))
  const lengths = indexed.map(({ counts }) => sum(counts.values()))
  const mean = sum(lengths) / Math.max(1, lengths.length)
  const rarity = (word: string): number => {
    const holding = indexed.filter(({ counts }) => counts.has(word)).length
    return Math.log(1 + (indexed.length - holding + 0.5) / (holding + 0.5))
  }
  return (query, most) => {
    const words = new Set(listWords(query).filter((word) => !ignored.has(word)))
    const rarities = [...words].map((word) => [word, rarity(word)] as const)
    return indexed
      .map(({ page, counts }, index) => {
        const norm = 1 - lengthPenalty + (lengthPenalty * (lengths[index] ?? mean)) / mean
        const score = sum(
          rarities.map(([word, rare]) => {
            const count = counts.get(word) ?? 0
            return (rare * count * (saturation + 1)) / (count + saturation * norm)
          }),
        )
        return { page, score }
      })
      .filter(({ score }) => score > 0)
      .toSorted((one, other) => other.score - one.score)
      .slice(0, most)
      .map(({ page }) => ({ page, excerpt: findExcerpt(page.text, words) }))
  }
}

function countWords(page: DocsPage): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const [part, weight] of Object.entries(weights))
    for (const word of listWords(page[part as keyof typeof weights]))
      counts.set(word, (counts.get(word) ?? 0) + weight)
  return counts
}

/** Words in one form: lower case, camelCase apart, without the endings of English. */
function listWords(text: string): readonly string[] {
  return (
    text
      .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu)
      ?.map((word) => (word.length > 4 ? word.replace(/(?:ing|ed|es|s|e)$/, '') : word)) ?? []
  )
}

/** The paragraph that has most of the words. */
function findExcerpt(text: string, words: ReadonlySet<string>): string {
  const paragraphs = text
    .split(/\n{2,}/)
    .filter((paragraph) => !/^(?:#|>|```|\|)/.test(paragraph))
    .map((paragraph) => ({
      paragraph,
      hits: new Set(listWords(paragraph).filter((word) => words.has(word))).size,
    }))
  const [best] = paragraphs.toSorted((one, other) => other.hits - one.hits)
  const line = (best?.paragraph ?? '').replaceAll(/\s+/g, ' ')
  return line.length > 300 ? `${line.slice(0, 300)}…` : line
}

function sum(numbers: Iterable<number>): number {
  let total = 0
  for (const number of numbers) total += number
  return total
}

/** A page of the site, as `tools/internal/site` wrote it into this package. */
type DocsPage = {
  /** Its place on the site, such as `guides/video`. */
  readonly path: string
  readonly title: string
  readonly description: string
  /** Words that readers search for and that the page does not use. */
  readonly words: string
  /** Markdown. */
  readonly text: string
}

export function readDocsPages(): readonly DocsPage[] {
  const file = new URL('../../docs/pages.json', import.meta.url)
  return JSON.parse(readFileSync(file, 'utf8')) as readonly DocsPage[]
}

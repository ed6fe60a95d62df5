import type { Tool } from '@farebox/mcp'
import type { Serving } from '../protocol-server.js'
import { textField } from '../text-field.js'
import type { ToolResult } from '../tool-result.js'
import type { DocsPage } from './pages.js'
import { searchPages } from './search.js'

const mostFound = 8
const annotations = { readOnlyHint: true, idempotentHint: true, destructiveHint: false } as const

const tools: readonly Tool[] = [
  {
    name: 'searchDocs',
    title: 'Search the documentation',
    description:
      'Finds pages about Farebox by words or by a question, best first: its SDK, command, service, API and generator.',
    inputSchema: objectSchema('query', 'Such as: how do I cap what a wallet spends'),
    annotations,
  },
  {
    name: 'readDoc',
    title: 'Read a page of the documentation',
    description: 'Returns a page as Markdown. Links between pages are paths that this tool takes.',
    inputSchema: objectSchema('page', 'Its path as searchDocs prints it, such as guides/video'),
    annotations,
  },
]

/** The site for a model: search it and read its pages, without a network and without credentials. */
export function docsServing(pages: readonly DocsPage[]): Serving {
  const search = searchPages(pages)
  return {
    tools,
    resources: [],
    instructions:
      'The documentation of Farebox. Search it before you guess the name of a function, an option or a code.',
    call: (name, input) => Promise.resolve(answer(name, input)),
  }

  function answer(name: string, input: Readonly<Record<string, unknown>>): ToolResult {
    if (name === 'searchDocs') return find(textField(input, 'query') ?? '')
    if (name === 'readDoc') return read(textField(input, 'page') ?? '')
    return failed(`There is no tool ${JSON.stringify(name)} here. There are: searchDocs, readDoc.`)
  }

  function find(query: string): ToolResult {
    const found = search(query, mostFound)
    if (found.length === 0)
      return text(`No page has these words: ${JSON.stringify(query)}. Try others.`)
    return text(
      found
        .map(
          ({ page, excerpt }) => `- ${page.path}: ${page.title}. ${page.description}\n  ${excerpt}`,
        )
        .join('\n'),
    )
  }

  function read(given: string): ToolResult {
    const path = given.replace(/#.*$/, '').replace(/^\/|\/$|\.md$/g, '')
    const page = pages.find((one) => one.path === path)
    if (page !== undefined) return text(page.text)
    const near = search(path.replaceAll(/[/-]/g, ' '), 3).map((found) => found.page.path)
    return failed(
      `There is no page ${JSON.stringify(given)}. ${near.length === 0 ? 'Use searchDocs.' : `Near it: ${near.join(', ')}.`}`,
    )
  }
}

function objectSchema(name: string, description: string): Tool['inputSchema'] {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: { [name]: { type: 'string', minLength: 1, description } },
    required: [name],
    additionalProperties: false,
  }
}

function text(content: string): ToolResult {
  return { content: [{ type: 'text', text: content }] }
}

function failed(reason: string): ToolResult {
  return { ...text(reason), isError: true }
}

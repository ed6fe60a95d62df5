import { readFileSync } from 'node:fs'

const contract = JSON.parse(
  readFileSync(new URL('../.prepared/contract.json', import.meta.url), 'utf8'),
)
const toSlug = (/** @type {string} */ id) =>
  id.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** The operations of each tag, as links, in the order of the document. */
const operations = Object.values(contract.paths)
  .flatMap((item) =>
    ['get', 'post', 'put', 'patch', 'delete'].flatMap((method) =>
      item[method] ? [{ ...item[method], method }] : [],
    ),
  )
  .map(({ operationId, summary, tags, method }) => ({
    tag: tags[0],
    label: summary,
    link: `/api/${toSlug(operationId)}/`,
    method,
  }))
const groups = [...new Set(operations.map(({ tag }) => tag))].map((tag) => ({
  label: tag,
  items: operations
    .filter((operation) => operation.tag === tag)
    .map(({ label, link, method }) => ({
      label,
      link,
      badge: { text: method.toUpperCase(), class: `method ${method}` },
    })),
}))

export const packages = [
  'farebox',
  'cli',
  'client',
  'auth',
  'retry',
  'middleware',
  'types',
  'zod',
  'service',
  'local-backends',
  'codegen',
  'spec-diff',
  'impact',
]

export const sidebar = [
  { label: 'Start', items: ['start', 'concepts'] },
  {
    label: 'Call it',
    items: [
      'guides/api-key',
      'guides/wallet',
      'guides/top-up',
      'guides/pay-per-call',
      'guides/errors',
      'guides/retries',
      'guides/pagination',
      'guides/openai',
      'guides/zod',
      'guides/command-line',
    ],
  },
  {
    label: 'Chat, speech, text and video',
    items: ['guides/chat', 'guides/speech', 'guides/text-parsing', 'guides/video'],
  },
  {
    label: 'Run it',
    items: [
      'guides/service',
      'guides/operating',
      'guides/corrections',
      'guides/upstreams',
      'guides/catalogue',
      'guides/observability',
      'guides/postgres',
      'guides/deploying',
      'guides/running-costs',
    ],
  },
  {
    label: 'Generate from OpenAPI',
    items: [
      'guides/generate-a-client',
      'guides/generate-a-server',
      'guides/generate-queries',
      'guides/generate-mocks',
      'guides/generate-a-reference',
      'guides/vendored-spec',
      'guides/write-an-output',
    ],
  },
  { label: 'Extend Farebox', items: ['guides/change-the-spec', 'guides/add-an-output'] },
  { label: 'API reference', items: [{ label: 'Overview', link: '/api/' }, ...groups] },
  { label: 'Packages', collapsed: true, autogenerate: { directory: 'packages' } },
  {
    label: 'Appendix',
    items: [
      'reference/error-codes',
      'reference/diagnostics',
      'reference/contract-changes',
      'reference/compatibility',
      'reference/comparison',
      'reference/not-there',
      'reference/changelog',
    ],
  },
]

import { readFileSync } from 'node:fs'
import { parseDocument, visit, type Document, type YAMLMap } from 'yaml'

/** The contract of the consumers in `fixtures/consumers`. */
export function readWorkshop(change?: Change): Document {
  const document = parseDocument(
    readFileSync(new URL('../fixtures/workshop.yaml', import.meta.url), 'utf8'),
  )
  change?.(document)
  return document
}

export type Change = (document: Document) => unknown

const toSchemaPath = (name: string, ...rest: string[]): readonly string[] => [
  'components',
  'schemas',
  name,
  ...rest,
]
const toPropertyPath = (owner: string, name: string, ...rest: string[]): readonly string[] =>
  toSchemaPath(owner, 'properties', name, ...rest)
const listJobs = ['paths', '/jobs', 'get', 'parameters'] as const

/** Changes of the contract by the names that stand in the comments of the consumers. */
export const changes: Readonly<Record<string, Change>> = {
  paused: (document) => document.addIn(toSchemaPath('JobStatus', 'enum'), 'paused'),
  'no tenor': (document) => document.deleteIn([...toSchemaPath('Voice', 'enum'), 2]),
  'quality by default': (document) =>
    document.setIn(toPropertyPath('JobRequest', 'quality', 'default'), 'high'),
  'smaller seed': (document) => document.setIn(toPropertyPath('JobRequest', 'seed', 'maximum'), 50),
  'loud gone': (document) =>
    document.deleteIn(toPropertyPath('JobRequest', 'options', 'properties', 'loud')),
  'locale required': (document) => {
    document.setIn(toPropertyPath('JobRequest', 'locale'), { type: 'string' })
    document.addIn(toSchemaPath('JobRequest', 'required'), 'locale')
  },
  'url optional': (document) => document.deleteIn(toPropertyPath('Job', 'result', 'required')),
  'note gone': (document) => {
    document.deleteIn(toPropertyPath('Job', 'note'))
    document.setIn(toSchemaPath('Job', 'required'), document.createNode(['id', 'status', 'result']))
  },
  'owner always': (document) => {
    document.setIn(toPropertyPath('Job', 'owner'), { type: 'string' })
    document.addIn(toSchemaPath('Job', 'required'), 'owner')
  },
  'longer list': (document) => document.setIn([...listJobs, 0, 'schema', 'default'], 20),
  'cursor gone': (document) => document.deleteIn([...listJobs, 1]),
  'delete deprecated': (document) =>
    document.setIn(['paths', '/jobs/{id}', 'delete', 'deprecated'], true),
  'stats busy': (document) =>
    document.setIn(['paths', '/stats', 'get', 'responses', '503'], { description: 'Busy.' }),
  'tags total': (document) => {
    const tags = [
      'paths',
      '/tags',
      'get',
      'responses',
      '200',
      'content',
      'application/json',
      'schema',
    ]
    document.setIn([...tags, 'properties', 'total'], { type: 'integer' })
    document.setIn([...tags, 'required'], ['total'])
  },
  'no report': (document) => document.deleteIn(['paths', '/report']),
  'no report schema': (document) => {
    document.deleteIn(['paths', '/report'])
    document.deleteIn(toSchemaPath('Report'))
  },
}

/** Renames that the newer document states, or that nothing else explains. */
export const renames: Readonly<Record<string, Change>> = {
  'operations by their address': (document) => {
    document.setIn(['paths', '/jobs', 'post', 'operationId'], 'createTask')
    document.setIn(['paths', '/jobs', 'get', 'operationId'], 'listTasks')
    document.setIn(['paths', '/report', 'get', 'operationId'], 'readReport')
  },
  'an operation that moved': (document) => {
    const moved = document.getIn(['paths', '/stats', 'get']) as YAMLMap
    document.deleteIn(['paths', '/stats'])
    document.setIn(['paths', '/counts', 'get'], moved)
    document.setIn(['paths', '/counts', 'get', 'operationId'], 'getCounts')
    document.setIn(['paths', '/counts', 'get', 'x-renamed-from'], 'getStats')
  },
  'schemas by their values': (document) => {
    renameSchema(document, 'Job', 'Task')
    renameSchema(document, 'JobRequest', 'TaskRequest')
    renameSchema(document, 'Report', 'Paper')
  },
  'properties that say so': (document) => {
    renameProperty(document, 'JobRequest', 'prompt', 'text')
    renameProperty(document, 'Job', 'note', 'side-note')
    document.setIn(toSchemaPath('Job', 'required'), ['id', 'status', 'side-note', 'result'])
    document.setIn(toSchemaPath('JobRequest', 'required'), ['text'])
  },
  'a part of a path': (document) => renamePart(document, '/jobs/{key}'),
  'a parameter that says so': (document) => {
    document.setIn([...listJobs, 1, 'name'], 'page.after')
    document.setIn([...listJobs, 1, 'x-renamed-from'], 'cursor')
  },
}

/** Renames that the newer document does not state. */
export const guesses = {
  properties: (document) => {
    renames['properties that say so']?.(document)
    document.deleteIn(toPropertyPath('JobRequest', 'text', 'x-renamed-from'))
    document.deleteIn(toPropertyPath('Job', 'side-note', 'x-renamed-from'))
  },
  values: (document) => {
    document.setIn([...toSchemaPath('Voice', 'enum'), 2], 'countertenor')
    document.setIn([...toSchemaPath('JobStatus', 'enum'), 0], 'waiting')
    document.setIn([...listJobs, 1, 'name'], 'page.after')
  },
  twice: (document) => renamePart(document, '/tasks/{key}'),
  'two names': (document) => {
    for (const name of ['first', 'other'])
      document.setIn(
        toPropertyPath('JobRequest', name),
        document.getIn(toPropertyPath('JobRequest', 'seed')),
      )
    document.deleteIn(toPropertyPath('JobRequest', 'seed'))
  },
  none: (document) => document.deleteIn(toPropertyPath('JobRequest', 'seed')),
} as const satisfies Readonly<Record<string, Change>>

/** Moves the path of a job, whose part is called key. */
function renamePart(document: Document, path: string): void {
  document.setIn(['paths', path], document.getIn(['paths', '/jobs/{id}']))
  document.deleteIn(['paths', '/jobs/{id}'])
  document.setIn(['paths', path, 'parameters', 0, 'name'], 'key')
}

function renameSchema(document: Document, from: string, to: string): void {
  document.setIn(toSchemaPath(to), document.getIn(toSchemaPath(from)))
  document.deleteIn(toSchemaPath(from))
  visit(document, {
    Scalar: (_, node) => {
      if (node.value === `#/components/schemas/${from}`) node.value = `#/components/schemas/${to}`
    },
  })
}

function renameProperty(document: Document, owner: string, from: string, to: string): void {
  document.setIn(toPropertyPath(owner, to), document.getIn(toPropertyPath(owner, from)))
  document.deleteIn(toPropertyPath(owner, from))
  document.setIn(toPropertyPath(owner, to, 'x-renamed-from'), from)
}

import { expect, it } from 'vitest'
import { findTools } from './find-tools.js'

it('ranks the operation with the fewest other words first, including plurals', () => {
  const tools = [
    { name: 'reactionsCreateForIssue', title: 'Create reaction for an issue' },
    { name: 'issuesCreate', title: 'Create an issue' },
    { name: 'issuesList', title: 'List issues' },
  ].map((tool) => ({
    ...tool,
    inputSchema: { $schema: '', type: 'object' as const },
    annotations: { readOnlyHint: false, idempotentHint: false, destructiveHint: false },
  }))
  const find = (query: string) => findTools(tools, {}, query).map(({ name }) => name)
  expect(find('create an issue')).toEqual(['issuesCreate', 'reactionsCreateForIssue', 'issuesList'])
  expect(find('list issue')[0]).toBe('issuesList')
})

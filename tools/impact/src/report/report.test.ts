import type { Change } from '@farebox/spec-diff'
import { expect, it } from 'vitest'
import type { Impact } from '../find/find-impact.js'
import { report } from './report.js'

const verdicts = { types: 'none', zod: 'none', client: 'patch', sdk: 'patch' } as const
const place = {
  side: 'head',
  file: 'api.yaml',
  line: 1,
  column: 1,
  pointer: '/paths/~1jobs/get',
} as const

function change(id: string, code: Change['code'], sentence: string): Change {
  return {
    id,
    code,
    sentence,
    place,
    direction: 'none',
    subject: { kind: 'document' },
    verdicts,
    operations: [],
  }
}

const gone = change('a-1', 'operation-removed', 'the `<job>` is gone')
const busy = change('b-2', 'response-error-status-added', 'it may be busy')
const said = change('c-3', 'description-changed', 'it says more')
const impact: Impact = {
  changes: [said, busy, gone],
  touches: [
    {
      change: gone,
      file: 'src/a b.ts',
      line: 3,
      column: 3,
      endColumn: 6,
      text: '\tx.job(`a`)',
      compiler: true,
    },
    {
      change: gone,
      file: 'src/a b.ts',
      line: 9,
      column: 1,
      endColumn: 4,
      text: 'job',
      compiler: true,
    },
    {
      change: busy,
      file: 'src/c.ts',
      line: 2,
      column: 1,
      endColumn: 6,
      text: 'stats()',
      compiler: false,
    },
  ],
}

it('shows each place with its line of code, then the counts', () => {
  expect(report(impact, 'text', '1.0.0')).toBe(`src/a b.ts:3:3 breaks compile
  the \`<job>\` is gone (a-1)
  3 | \tx.job(\`a\`)
    | \t ^^^

src/a b.ts:9:1 breaks compile
  the \`<job>\` is gone (a-1)
  9 | job
    | ^^^

src/c.ts:2:1 compiler does not report
  it may be busy (b-2)
  2 | stats()
    | ^^^^^

3 places in 2 files: 2 break the compile, 1 the compiler does not report.
    2  a-1  the \`<job>\` is gone
    1  b-2  it may be busy
    0  c-3  it says more
`)
})

it('escapes the document and the code in markdown', () => {
  expect(report(impact, 'markdown', '1.0.0'))
    .toBe(`## 3 places in 2 files: 2 break the compile, 1 the compiler does not report.

### the \\\`\\<job\\>\\\` is gone (2)

- \`src/a b.ts:3\` breaks compile: \`\` x.job(\`a\`) \`\`
- \`src/a b.ts:9\` breaks compile: \` job \`

### it may be busy (1)

- \`src/c.ts:2\` compiler does not report: \` stats() \`

<details><summary>1 change without a place in this code</summary>

- it says more

</details>
`)
})

it('annotates the lines on GitHub', () => {
  const [first, , last] = report(impact, 'github', '1.0.0').split('\n')
  expect(first).toBe(
    '::error file=src/a b.ts,line=3,col=3,endColumn=6,title=operation-removed::the `<job>` is gone. breaks compile (a-1)',
  )
  expect(last).toBe(
    '::warning file=src/c.ts,line=2,col=1,endColumn=6,title=response-error-status-added::it may be busy. compiler does not report (b-2)',
  )
})

it('writes SARIF with a rule for each kind of change', () => {
  const { runs } = JSON.parse(report(impact, 'sarif', '1.0.0')) as {
    runs: readonly [{ tool: unknown; results: readonly unknown[] }]
  }
  expect(runs[0].tool).toMatchObject({
    driver: {
      name: 'farebox-impact',
      rules: [{ id: 'operation-removed' }, { id: 'response-error-status-added' }],
    },
  })
  expect(runs[0].results).toMatchObject([
    {
      ruleIndex: 0,
      level: 'error',
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: 'src/a%20b.ts' },
            region: { startLine: 3, startColumn: 3, endColumn: 6 },
          },
        },
      ],
    },
    { level: 'error' },
    { ruleIndex: 1, level: 'warning' },
  ])
})

it('lists the changes without effect in JSON', () => {
  const { touches, untouched } = JSON.parse(report(impact, 'json', '1.0.0')) as {
    touches: readonly unknown[]
    untouched: unknown
  }
  expect(touches[0]).toEqual({
    change: 'a-1',
    file: 'src/a b.ts',
    line: 3,
    column: 3,
    endColumn: 6,
    text: '\tx.job(`a`)',
    compiler: true,
  })
  expect(untouched).toEqual(['c-3'])
})

it('reports that nothing is affected', () => {
  expect(report({ touches: [], changes: [said] }, 'text', '1.0.0')).toBe(
    'None of 1 change touches this code.\n    0  c-3  it says more\n',
  )
})

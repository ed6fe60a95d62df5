import { beforeAll, describe, expect, it } from 'vitest'
import { edits } from '../../test/edits.js'
import { createBench, unchanged } from '../../test/verdicts.js'
import type { Change } from '../change/change.js'
import { outputs } from '../changeset/owners.js'
import { strictest } from '../change/verdict.js'
import { report, type Format } from './report.js'

/** Every change that an edit of the base document makes. */
let changes: readonly Change[]
let narrowed: readonly Change[]
beforeAll(async () => {
  const bench = createBench()
  const found = await Promise.all(Object.values(edits).map((edit) => bench.diff(edit)))
  changes = [...new Map(found.flat().map((change) => [change.id, change])).values()]
  narrowed = await bench.diff(
    (document) =>
      void (document['components'].schemas.NewTram.properties.colour.enum = ['a|b', '<img>\n@all']),
  )
  expect(await bench.diff(unchanged)).toEqual([])
  bench.close()
})

const print = (of: readonly Change[], format: Format, all = false) =>
  report(of, { format, carriers: outputs, all, version: '1.2.3' })

describe('the text', () => {
  it('summarizes a long list on one screen, breaking changes first', () => {
    const text = print(changes, 'text')
    expect(changes.length).toBeGreaterThan(60)
    expect(text.split('\n').length).toBeLessThanOrEqual(40)
    expect(text).toMatch(/^Breaking\n/)
    expect(text).toContain(`--all lists each of the ${changes.length} changes.`)
  })

  it('lists every change once with its id on request, groups with the most breaking changes first', () => {
    const text = print(changes, 'text', true)
    for (const { id } of changes) expect(text.split(`  ${id}\n`).length).toBe(2)
    const groups = text.split('\n\n').slice(0, -1)
    const breaking = groups.map((group) => group.split('\n  major ').length - 1)
    expect(breaking).toEqual(breaking.toSorted((one, other) => other - one))
  })
})

describe('the markdown', () => {
  it('has each change once, with breaking changes before the fold', () => {
    const text = print(changes, 'markdown')
    for (const { id } of changes) expect(text.split(`\`${id}\``).length).toBe(2)
    const [open = '', folded = ''] = text.split('<details>')
    expect(open).not.toContain('**minor**')
    expect(folded).not.toContain('**major**')
    expect(folded).toContain('</details>')
  })

  it('contains no markup or mention from a document', () => {
    const text = print(narrowed, 'markdown')
    expect(text).toContain('\\<img\\>')
    expect(text).toContain('@<!-- -->all')
    expect(text).toContain('a\\|b')
  })

  it('is cut before the limit of GitHub, and says so', () => {
    const many = Array.from({ length: 3000 }, (_, index) => ({
      ...(narrowed[0] ?? fail()),
      sentence: `s${index}`,
      subject: { kind: 'schema' as const, name: `S${index}` },
    }))
    const text = print(many, 'markdown')
    expect(text.length).toBeLessThan(65_536)
    expect(text).toMatch(/The report is cut here: \d+ more parts\.\n/)
  })
})

describe('for machines', () => {
  it('JSON has ids, facts before and after, and values', () => {
    const { changes: listed } = JSON.parse(print(changes, 'json')) as {
      readonly changes: readonly Change[]
    }
    expect(listed.map(({ id }) => id)).toEqual(changes.map(({ id }) => id))
    expect(listed.find(({ code }) => code === 'request-enum-narrowed')).toMatchObject({
      from: ['up', 'down'],
      to: ['up'],
      witness: { value: 'down', acceptedBy: 'base' },
    })
  })

  it('SARIF has a rule for each result, a place, and the id as its fingerprint', () => {
    const log = JSON.parse(print(changes, 'sarif')) as SarifLog
    const [run] = log.runs
    expect([log.version, run?.results.length]).toEqual(['2.1.0', changes.length])
    for (const [index, result] of (run?.results ?? []).entries()) {
      expect(run?.tool.driver.rules[result.ruleIndex]?.id).toBe(result.ruleId)
      expect(result.partialFingerprints['contractChange/v1']).toBe(changes[index]?.id)
      expect(result.level === 'error').toBe(
        strictest((changes[index] ?? fail()).verdicts) === 'major',
      )
      expect(result.locations[0]?.physicalLocation.region.startLine).toBeGreaterThan(0)
    }
  })

  it('annotations are one line each, whatever the document holds', () => {
    const lines = print([...changes, ...narrowed], 'github').split('\n')
    expect(lines.length).toBe(changes.length + narrowed.length)
    for (const line of lines)
      expect(line).toMatch(
        /^::(error|warning|notice) file=[^:,]+,line=\d+,col=\d+,title=[a-z-]+::\S/,
      )
  })
})

function fail(): never {
  throw new Error('There is no such change')
}

type SarifLog = {
  readonly version: string
  readonly runs: readonly {
    readonly tool: { readonly driver: { readonly rules: readonly { readonly id: string }[] } }
    readonly results: readonly {
      readonly ruleId: string
      readonly ruleIndex: number
      readonly level: string
      readonly partialFingerprints: Readonly<Record<string, string>>
      readonly locations: readonly {
        readonly physicalLocation: { readonly region: { readonly startLine: number } }
      }[]
    }[]
  }[]
}

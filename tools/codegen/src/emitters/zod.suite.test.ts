import { expect, it } from 'vitest'
import { checkoutSuite, findException, readGroups, npmSuite } from '../../test/public-suite.js'
import { judgeSchemas } from '../../test/suite.js'

it.each([npmSuite, ...(checkoutSuite === undefined ? [] : [checkoutSuite])])(
  'the public suite in %s has the same verdicts',
  async (folder) => {
    const groups = await readGroups(folder)
    const outcomes = await judgeSchemas(groups.map(({ schema }) => schema))
    const wrong = groups.flatMap((group, index) => {
      const outcome = outcomes[index]
      const rule = `${group.file}: ${group.description}`
      if (outcome === undefined) return [`${rule}: lost`]
      if ('rejected' in outcome)
        return findException(group)?.says === outcome.rejected
          ? []
          : [`${rule}: ${outcome.rejected}`]
      return group.tests.flatMap(({ description, data, valid }) => {
        const exception = findException(group, description)
        const excused = exception !== undefined && exception.says === undefined
        return outcome.accepts(data) === valid || excused
          ? []
          : [`${rule}, ${description}: ${valid ? 'rejected' : 'accepted'}`]
      })
    })
    expect(wrong).toEqual([])
    expect(groups.flatMap(({ tests }) => tests).length).toBeGreaterThanOrEqual(290)
  },
)

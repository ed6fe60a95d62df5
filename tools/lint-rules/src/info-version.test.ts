import { expect, it } from 'vitest'
import { changed, good } from '../test/document.js'
import { lint } from '../test/lint.js'

it('takes a moment as YYYYMMDD.HHMMSS for a version', async () => {
  const complaints = await lint('info-version', {
    good,
    semver: changed(['info', 'version'], '1.0.0'),
    noSuchDay: changed(['info', 'version'], '20260231.000000'),
    number: changed(['info', 'version'], 20_261_121.093),
  })

  expect(complaints).toEqual({
    good: [],
    semver: [
      '#/info/version: Found the version "1.0.0": expected a moment as YYYYMMDD.HHMMSS, in quotes.',
    ],
    noSuchDay: [
      '#/info/version: Found the version "20260231.000000": expected a moment as YYYYMMDD.HHMMSS, in quotes.',
    ],
    number: [
      '#/info/version: Found the version 20261121.093: expected a moment as YYYYMMDD.HHMMSS, in quotes.',
    ],
  })
})

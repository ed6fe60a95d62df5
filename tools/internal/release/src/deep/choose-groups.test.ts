import { expect, it } from 'vitest'
import { chooseGroups, takeNext } from './choose-groups.js'
import type { Group } from './groups.js'

const groups = ['a', 'b', 'c', 'd'].map((name, index): Group => ({
  name,
  what: '',
  inputs: [name],
  seconds: 100 - index,
  commands: () => [],
}))

function chooseNames(changed: readonly string[], seed: number): readonly string[] {
  const isChanged = (inputs: readonly string[]): boolean =>
    inputs.some((input) => changed.includes(input))
  return chooseGroups(groups, isChanged, seed).map(
    ({ group, isDue }) => group.name + (isDue ? '!' : ''),
  )
}

it('runs the groups that a commit affects first, the shortest of them first', () => {
  expect(chooseNames(['d', 'b'], 0)).toEqual(['d!', 'b!', 'a', 'c'])
})

it('rotates the other groups with each commit', () => {
  expect([0, 1, 2, 3, 4].map((seed) => chooseNames([], seed)[0])).toEqual(['a', 'b', 'c', 'd', 'a'])
  expect(chooseNames(['a', 'b', 'c', 'd'], 3)).toEqual(['d!', 'c!', 'b!', 'a!'])
})

it('skips groups that install Debian packages, changed or not', () => {
  const [first, ...others] = groups
  if (!first) throw new Error('There are groups.')
  const changing = [{ ...first, needsDebian: true as const }, ...others]
  const names = (isChanged: boolean) =>
    chooseGroups(changing, () => isChanged, 0).map(({ group }) => group.name)
  expect(names(true)).toEqual(['d', 'c', 'b'])
  expect(names(false)).toEqual(['b', 'c', 'd'])
})

it('runs independent groups from both ends', () => {
  const [a, b, c, d] = groups as [Group, Group, Group, Group]
  const left = [a, { ...b, writesTo: 'x' }, { ...c, needsDebian: true as const }, d]
  const running = [
    { ...d, writesTo: 'x' },
    { ...d, needsDebian: true as const },
  ]
  const take = (isLast: boolean) => takeNext(left, running, isLast)?.name
  expect([take(true), take(true), take(false)]).toEqual(['d', 'a', undefined])
  expect(takeNext(left, [], true)?.name).toBe('c')
})

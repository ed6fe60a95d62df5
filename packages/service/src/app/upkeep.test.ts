import { expect, it } from 'vitest'
import { sequenceTasks } from './upkeep.js'

it('runs the tasks in sequence, continues after failures, and rejects with the first error', async () => {
  const done: string[] = []
  const work = (name: string, error?: Error) => async () => {
    done.push(`${name} begins`)
    await Promise.resolve()
    if (error) throw error
    done.push(`${name} ends`)
  }
  const all = sequenceTasks([
    work('1'),
    work('2', new Error('locked')),
    work('3', new Error('later')),
    work('4'),
  ])
  await expect(all()).rejects.toThrow('locked')
  expect(done).toEqual(['1 begins', '1 ends', '2 begins', '3 begins', '4 begins', '4 ends'])
  done.length = 0
  await sequenceTasks([work('1')])()
  expect(done).toEqual(['1 begins', '1 ends'])
})

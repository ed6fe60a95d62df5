import { expect, it } from 'vitest'
import { readPages } from './wallet.js'

const createEntry = (id: number) => ({ id: `entry-${id}` })

it('returns every entry once, in order, over all pages', async () => {
  const list = [5, 4, 3, 2, 1].map(createEntry)
  const walked = await collect(
    readPages(async (offset) => ({
      items: list.slice(offset, offset + 2),
      hasMore: offset + 2 < list.length,
    })),
  )
  expect(walked).toEqual(list)
})

it('returns an entry once if new ones push it onto the next page', async () => {
  let list = [3, 2, 1].map(createEntry)
  const walked = await collect(
    readPages(async (offset) => {
      const page = { items: list.slice(offset, offset + 2), hasMore: offset + 2 < list.length }
      list = [createEntry(9), ...list]
      return page
    }),
  )
  expect(walked.map(({ id }) => id)).toEqual(['entry-3', 'entry-2', 'entry-1'])
})

it('reads no more pages once the reader has stopped', async () => {
  const offsets: number[] = []
  for await (const item of readPages(
    async (offset) => (offsets.push(offset), { items: [createEntry(offset)], hasMore: true }),
  )) {
    if (item.id === 'entry-1') break
  }
  expect(offsets).toEqual([0, 1])
})

it('stops at an empty page that claims more', async () => {
  expect(await collect(readPages(async () => ({ items: [], hasMore: true })))).toEqual([])
})

it('ends with the error of check, in the middle of a page', async () => {
  const walked: string[] = []
  const aborted = new Error('enough')
  const check = () => {
    if (walked.length === 2) throw aborted
  }
  const walk = async () => {
    for await (const { id } of readPages(
      async () => ({ items: [3, 2, 1].map(createEntry), hasMore: false }),
      check,
    ))
      walked.push(id)
  }
  await expect(walk()).rejects.toBe(aborted)
  expect(walked).toEqual(['entry-3', 'entry-2'])
})

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}

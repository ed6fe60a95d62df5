import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { confirmPrice, type Price } from './confirm.js'
import type { Context } from '../command.js'

type PromptOptions = {
  readonly typed?: string
  readonly isTTY?: boolean
  readonly flags?: readonly string[]
  readonly limit?: string
}

/** What is shown to the person, and how it ends. */
async function ask(
  price: Price,
  { typed = '', isTTY = true, flags = [], limit }: PromptOptions = {},
) {
  const [input, err] = [
    Object.assign(new PassThrough(), { isTTY }),
    Object.assign(new PassThrough(), { isTTY }),
  ]
  input.write(typed)
  const context = {
    terminal: { in: input, err },
    arguments: { has: (name: string) => flags.includes(name), text: () => undefined },
    environment: {
      HOME: '/nowhere',
      ...(limit !== undefined && { FAREBOX_CONFIRM_ABOVE_USD: limit }),
    },
    signal: new AbortController().signal,
  } as unknown as Context
  const end = await confirmPrice(context, price).then(
    () => 'goes on',
    (error: Error) => error.message,
  )
  return { end, shown: String(err.read() ?? '') }
}

const video = { usd: 1.5, what: 'This video' }

describe('confirmPrice', () => {
  it.each([
    ['y\n', 'goes on'],
    ['Yes\n', 'goes on'],
    ['n\n', 'Nothing was sent.'],
    ['\n', 'Nothing was sent.'],
  ])('shows the price, and treats %j as: %s', async (typed, end) => {
    const asked = await ask(video, { typed })
    expect(asked.end).toBe(end)
    expect(asked.shown).toContain('This video costs 1.5 USD. Continue? [y/N] ')
  })

  it('does not prompt up to the limit, or with --yes', async () => {
    expect(await ask({ ...video, usd: 1 }, { isTTY: false })).toEqual({ end: 'goes on', shown: '' })
    expect(await ask(video, { isTTY: false, limit: '1.50' })).toEqual({ end: 'goes on', shown: '' })
    expect(await ask(video, { isTTY: false, flags: ['yes'] })).toEqual({
      end: 'goes on',
      shown: '',
    })
  })

  it('rejects without a terminal, unless the command line states the amount', async () => {
    expect(await ask(video, { isTTY: false })).toEqual({
      end:
        'This video costs 1.5 USD. Above 1 USD farebox asks first, and there is no terminal to ask on. ' +
        'Pass --yes, or raise confirmAboveUsd in the configuration. Nothing was sent.',
      shown: '',
    })
    expect((await ask({ ...video, usd: 0.02 }, { isTTY: false, limit: '0.01' })).end).toContain(
      'Above 0.01 USD farebox asks first',
    )
    expect((await ask({ ...video, isStated: true }, { isTTY: false })).end).toBe('goes on')
    expect((await ask({ ...video, isStated: true }, { typed: 'n\n' })).end).toBe(
      'Nothing was sent.',
    )
  })

  it('rejects an invalid limit', async () => {
    expect((await ask(video, { limit: 'much' })).end).toBe(
      'confirmAboveUsd is "much"; expected USD such as 0.50.',
    )
  })
})

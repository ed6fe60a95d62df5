import { readArguments } from '@farebox/command-line'
import { expect, it } from 'vitest'
import { OperatorError } from '../http/operator-api/handler-types.js'
import type { MoneyHandlers } from '../http/operator-api/money-handlers.js'
import { manageMoney } from './manage.js'
import { readMoneySettings, type MoneySettings } from './settings/manage-settings.js'
import { program } from './settings/program.js'

const debt = {
  id: 'pay_1',
  account: '0xabc',
  amount: 0.0045,
  network: 'eip155:8453',
  requestId: 'req_1',
  modelId: 'mistral-31-24b',
  since: '2027-01-01T00:00:00.000Z',
  settleUntil: '2027-01-01T00:15:00.000Z',
}

function read(args: readonly string[]): MoneySettings | undefined {
  const invocation = readArguments(program, args, { environment: {} })
  return 'show' in invocation ? undefined : readMoneySettings(invocation.arguments)
}

async function run(args: readonly string[], tools: Partial<MoneyHandlers>) {
  const lines: string[] = []
  const write = (line: string) => void lines.push(line)
  const settings = read(args) as MoneySettings
  const code = await manageMoney(tools as MoneyHandlers, settings, { out: write, err: write })
  return { code, lines }
}

it('debts prints every debt, a page at a time', async () => {
  const listDebts: MoneyHandlers['listDebts'] = async ({ offset }) => ({
    debts: [{ ...debt, id: `pay_${offset}` }],
    hasMore: offset < 1,
  })
  const line = (id: string) =>
    `${id}  0xabc owes 0.0045 USD since ${debt.since} for req_1, can be settled until ${debt.settleUntil}`
  expect(await run(['debts'], { listDebts })).toEqual({
    code: 0,
    lines: [`${line('pay_0')}\n${line('pay_1')}`],
  })
  const none = { listDebts: async () => ({ debts: [], hasMore: false }) }
  expect((await run(['debts'], none)).lines).toEqual(['Nothing is owed.'])
})

it('write-off prints the entry, or why the debt remains', async () => {
  const args = ['write-off', 'pay_1', '--reason', 'an empty wallet', '--actor', 'Ada']
  const asked: unknown[] = []
  const done = await run(args, {
    writeOffDebt: async (input) => {
      asked.push(input)
      return { account: '0xabc', entry: 'led_1', amount: 0.0045 }
    },
  })
  expect(asked).toEqual([{ debt: 'pay_1', reason: 'an empty wallet', actor: 'Ada' }])
  expect(done.lines).toEqual([
    '0.0045 USD of 0xabc written off: entry led_1. It can pay by upto again, unless it owes more.',
  ])
  const writeOffDebt = () =>
    Promise.reject(new OperatorError(409, 'DEBT_CAN_BE_SETTLED', 'It can be settled.'))
  expect(await run(args, { writeOffDebt })).toEqual({ code: 1, lines: ['It can be settled.'] })
})

it.each([
  [['debts', 'more'], 'debts: found "more", expected nothing more.'],
  [['write-off', '--reason', 'x'], 'write-off: found no DEBT; "debts" lists them.'],
  [['write-off', 'pay_1'], 'write-off: found no reason.'],
])('%j is rejected: %s', (args, message) => {
  expect(() => read(args)).toThrow(message)
})

import { setTimeout as sleep } from 'node:timers/promises'
import type { Fault } from '../fault.js'
import type { Party, Scenario, Tools } from '../play.js'
import { ok, createErrorFault } from './words.js'

const never: Fault = { kind: 'slow-headers', ms: Infinity }

const aborted = (
  title: string,
  sends: number,
  script: readonly Fault[],
  run: (party: Party, tools: Tools, controller: AbortController) => Promise<unknown>,
): Scenario => ({
  title: `${title}: ends at once`,
  script: () => script,
  run: async (party, tools) => run(party, tools, tools.controller()),
  right: ({ heard, outcome }) => heard.length === sends && outcome === 'error',
})

const abortAfter = async (ms: number, controller: AbortController) => {
  await sleep(ms)
  controller.abort()
}

/**
 * An abort ends a call wherever it is, which no fault here does by itself, sends nothing more, and
 * leaves no listener on its signal.
 */
export const aborts: readonly Scenario[] = [
  aborted('aborted before the call', 0, [ok], async ({ post }, _tools, controller) => {
    controller.abort()
    return post(controller.signal)
  }),
  aborted(
    'aborted while it waits to repeat',
    1,
    [createErrorFault(503, { 'retry-after': '30' }), ok],
    async ({ get }, { heard }, controller) => {
      const running = get(controller.signal)
      running.catch(() => undefined)
      await heard(1)
      await abortAfter(100, controller)
      return running
    },
  ),
  aborted('aborted in flight', 1, [never], async ({ post }, { heard }, controller) => {
    const running = post(controller.signal)
    running.catch(() => undefined)
    await heard(1)
    controller.abort()
    return running
  }),
  aborted(
    'aborted in the body',
    1,
    [{ kind: 'slow-body', ms: 5 }],
    async ({ get }, { heard }, controller) => {
      const running = get(controller.signal)
      running.catch(() => undefined)
      await heard(1)
      await abortAfter(50, controller)
      return running
    },
  ),
  {
    title: '40 calls at once, aborted in flight and in the queue: all end at once',
    script: () => [never],
    run: async ({ post }, { controller, heard }) => {
      const one = controller()
      const running = Promise.allSettled(Array.from({ length: 40 }, async () => post(one.signal)))
      await heard(1)
      one.abort()
      return running
    },
    right: ({ heard, outcome }) => outcome === 'value' && heard.length <= 40,
  },
  {
    title: '20 calls on a signal that lives on: no listener stays',
    script: () => [ok],
    run: async ({ get }, { controller }) => {
      const { signal } = controller()
      for (let call = 0; call < 20; call++) await get(signal)
    },
    right: ({ heard, outcome }) => outcome === 'value' && heard.length === 20,
  },
]

import { expect, it } from 'vitest'
import { createRegistry } from '../../platform/telemetry/registry.js'
import { parseSamples } from './handlers.js'

it('reads back what the registry prints', async () => {
  const registry = createRegistry()
  registry.counter('farebox_upstream_troubles_total', 'Troubles.')(
    { upstream: 'a "b"\n\\c', other: 'x' },
    3,
  )
  registry.counter('farebox_charges_total', 'Charges.')({}, 1)
  expect(parseSamples(await registry.print(), /^farebox_upstream_/)).toEqual([
    {
      name: 'farebox_upstream_troubles_total',
      labels: { upstream: 'a "b"\n\\c', other: 'x' },
      value: 3,
    },
  ])
})

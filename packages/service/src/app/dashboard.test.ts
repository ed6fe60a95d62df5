import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { startService } from '../../test/harness.js'
import { parseSamples } from '../http/operator-api/process-reports.js'
import { createUpstreams } from './create-upstreams.js'

const folder = new URL('../../deploy/observability/', import.meta.url)
const read = (name: string) => readFileSync(new URL(name, folder), 'utf8')

type Panel = {
  readonly title: string
  readonly type: string
  readonly targets?: readonly { readonly expr: string }[]
}
const { panels } = JSON.parse(read('dashboard.json')) as { readonly panels: readonly Panel[] }
const { groups } = parse(read('alerts.yaml')) as {
  readonly groups: readonly { readonly rules: readonly { readonly expr: string }[] }[]
}

const expressions = [
  ...panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
  ...groups.flatMap(({ rules }) => rules.map(({ expr }) => expr)),
]

/** The metrics of an expression, each with the labels that it names for it. */
function parseMetrics(
  expression: string,
): readonly { readonly metric: string; readonly labels: readonly string[] }[] {
  const grouped = [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names = '']) =>
    names.split(',').map((name) => name.trim()),
  )
  return [...expression.matchAll(/\b((?:farebox|process)_\w+|up)\b(?:\{([^}]*)\})?/g)].map(
    ([, metric = '', conditions = '']) => ({
      metric,
      labels: [
        ...grouped,
        ...[...conditions.matchAll(/(\w+)(?:=~|!~|!=|=)/g)].map(([, label = '']) => label),
      ],
    }),
  )
}

it('the dashboard and the alert rules use only metrics and labels that a service exposes', async () => {
  const upstreams = createUpstreams(
    [
      {
        name: 'a',
        capability: 'speech',
        url: 'http://127.0.0.1:1/v1',
        retries: 0,
        cost: { usdPerRequest: 1 },
      },
    ],
    { fetch: async () => new Response(null, { status: 500 }) },
  )
  const farebox = await startService({ connections: async () => 1, upstreams })
  const headers = { authorization: 'Bearer test-admin-key', 'content-type': 'application/json' }
  // a first value of each: a call that its upstream fails, and one that is charged
  const body = JSON.stringify({ model: 'tts-kokoro', voice: 'af_sky', input: 'Hi' })
  await farebox.call('createSpeech', '/audio/speech', { method: 'POST', headers, body })
  const file = new FormData()
  file.append('file', new Blob(['Tram fares']), 'a.txt')
  const signedIn = await farebox.signIn(await farebox.richWallet(1))
  await farebox.call('parseText', '/augment/text-parser', {
    method: 'POST',
    body: file,
    headers: signedIn,
  })
  const scraped = ['job', 'instance']
  const shown = new Map(
    parseSamples(await farebox.metrics(), /./).map(({ name, labels }) => [
      name,
      [...scraped, ...Object.keys(labels)],
    ]),
  )
  // Prometheus adds the first, and only a service with a data folder shows the others.
  for (const name of ['up', 'farebox_data_free_bytes', 'farebox_data_size_bytes'])
    shown.set(name, scraped)
  await farebox.service.close()

  const named = expressions.flatMap(parseMetrics)
  expect(named.length).toBeGreaterThan(40)
  const missing = named.flatMap(({ metric, labels }) => {
    const has = shown.get(metric)
    return has === undefined
      ? [metric]
      : labels.filter((label) => !has.includes(label)).map((label) => `${metric}{${label}}`)
  })
  expect(missing).toEqual([])
})

it('the dashboard has a panel for each alert rule', () => {
  const listMetrics = (all: readonly string[]) =>
    new Set(all.flatMap(parseMetrics).map(({ metric }) => metric))
  const onDashboard = listMetrics(
    panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
  )
  const ofRules = listMetrics(groups.flatMap(({ rules }) => rules.map(({ expr }) => expr)))
  expect([...ofRules].filter((metric) => !onDashboard.has(metric))).toEqual([])
})

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { startListening } from './start-listening.js'

/** A span as the collector received it. Ids are in hexadecimal. */
export type CollectedSpan = {
  readonly service: string
  readonly name: string
  /** 1 internal, 2 server, 3 client, 5 consumer. */
  readonly kind: number
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly attributes: Readonly<Record<string, unknown>>
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[]
  readonly isFailed: boolean
}

/** A point of a metric as the collector received it. */
type CollectedMetric = {
  readonly name: string
  readonly attributes: Readonly<Record<string, unknown>>
  /** Of a histogram, its count. */
  readonly value: number
}

/** A collector of OTLP over HTTP, in JSON. */
export type OtlpCollector = {
  readonly url: string
  readonly spans: CollectedSpan[]
  readonly metrics: CollectedMetric[]
  readonly requests: {
    readonly path: string
    readonly headers: IncomingMessage['headers']
    readonly body: Buffer
  }[]
  /** Answers a request that was read. Default: 200. */
  answer: (response: ServerResponse) => void
  readonly close: () => void
}

type Attribute = { readonly key: string; readonly value: Readonly<Record<string, unknown>> }
type Point = {
  readonly attributes?: readonly Attribute[]
  readonly asDouble?: number
  readonly count?: number | string
}
type Body = {
  readonly resourceSpans?: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] }
    readonly scopeSpans: readonly { readonly spans: readonly Readonly<Record<string, unknown>>[] }[]
  }[]
  readonly resourceMetrics?: readonly {
    readonly scopeMetrics: readonly {
      readonly metrics: readonly Readonly<Record<string, unknown>>[]
    }[]
  }[]
}

export async function startOtlpCollector(): Promise<OtlpCollector> {
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    collector.requests.push({ path: request.url ?? '', headers: request.headers, body })
    if (request.headers['content-type'] === 'application/json')
      take(JSON.parse(body.toString()) as Body)
    collector.answer(response)
  }
  const take = ({ resourceSpans = [], resourceMetrics = [] }: Body) => {
    for (const { resource, scopeSpans } of resourceSpans) {
      const service = String(toValues(resource.attributes)['service.name'])
      for (const { spans } of scopeSpans)
        collector.spans.push(...spans.map((span) => toSpan(service, span)))
    }
    const metrics = resourceMetrics.flatMap(({ scopeMetrics }) =>
      scopeMetrics.flatMap((scope) => scope.metrics),
    )
    collector.metrics.push(...metrics.flatMap(toPoints))
  }
  const server = createServer(
    (request, response) => void receive(request, response).catch(() => response.destroy()),
  )
  const collector: OtlpCollector = {
    url: await startListening(server),
    spans: [],
    metrics: [],
    requests: [],
    answer: (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'),
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
  return collector
}

function toSpan(service: string, span: Readonly<Record<string, unknown>>): CollectedSpan {
  const { parentSpanId, links, status } = span
  return {
    service,
    name: String(span['name']),
    kind: Number(span['kind']),
    traceId: String(span['traceId']),
    spanId: String(span['spanId']),
    ...(typeof parentSpanId === 'string' && parentSpanId !== '' && { parentSpanId }),
    attributes: toValues((span['attributes'] ?? []) as readonly Attribute[]),
    links: (links ?? []) as CollectedSpan['links'],
    isFailed: (status as { readonly code?: number } | undefined)?.code === 2,
  }
}

function toPoints(metric: Readonly<Record<string, unknown>>): readonly CollectedMetric[] {
  const data = (metric['sum'] ?? metric['gauge'] ?? metric['histogram']) as {
    readonly dataPoints: readonly Point[]
  }
  return data.dataPoints.map(({ attributes = [], asDouble, count }) => ({
    name: String(metric['name']),
    attributes: toValues(attributes),
    value: Number(asDouble ?? count),
  }))
}

function toValues(attributes: readonly Attribute[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
}

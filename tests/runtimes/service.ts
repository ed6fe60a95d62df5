import {
  startFaultServer,
  type FaultServer,
  type Fault,
  type ReceivedRequest,
} from '@farebox/testing/fault-server'

const createJsonFault = (value: unknown, status = 200): Fault => ({
  kind: 'response',
  status,
  body: JSON.stringify(value),
})

/** Does to each request what its input asks for; every quote fails first. */
export function startService(page: string): Promise<FaultServer> {
  let quotes = 0
  let filesOnDisk = 0
  return startFaultServer(({ path, body }: ReceivedRequest) => {
    if (path === '/')
      return { kind: 'response', headers: { 'content-type': 'text/html' }, body: page }
    if (path.endsWith('/video/quote'))
      return quotes++ % 2 === 0
        ? createJsonFault({ error: 'busy' }, 503)
        : createJsonFault({ quote: 0.25 })
    if (body.includes('filename="on-disk.txt"') && filesOnDisk++ % 2 === 0)
      return createJsonFault({ error: 'busy' }, 503)
    if (path.endsWith('/augment/text-parser'))
      return { kind: 'response', headers: { 'content-type': 'text/plain' }, body: readText(body) }
    if (path.endsWith('/video/queue'))
      return createJsonFault({
        model: 'local-test-clip',
        queue_id: /data:[^"]*/.exec(body)?.[0] ?? 'no picture',
      })
    if (path.endsWith('/models')) return { kind: 'reset-mid-body' }
    return respondToSpeech(body)
  })
}

function respondToSpeech(body: string): Fault {
  if (body.includes('unpaid')) return createJsonFault({ error: 'Insufficient balance' }, 402)
  if (body.includes('lost')) return { kind: 'reset' }
  if (body.includes('page')) return { kind: 'html' }
  if (body.includes('never')) return { kind: 'slow-headers', ms: Infinity }
  return { kind: 'response', headers: { 'content-type': 'audio/mpeg' }, body: new Uint8Array(1000) }
}

/** What stands in the part "file", whether or not the body came in chunks. */
function readText(form: string): string {
  return form.includes('filename="') && form.includes('\r\nHello\r\n') ? 'Hello' : 'no file'
}

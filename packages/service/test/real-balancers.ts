import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request, type RequestOptions } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { IncomingMessage } from 'node:http'
import { run } from '@farebox/testing/commands'
import { findFreePort } from '@farebox/testing/start-listening'

const files = fileURLToPath(new URL('../deploy/balancers/', import.meta.url))
const host = 'api.example.com'

type Place = {
  readonly folder: string
  readonly port: number
  readonly certificate: string
  readonly key: string
}

type Kind = {
  /** Of the configuration that the package has. */
  readonly file: string
  /** What this machine needs in it besides the addresses of the services. */
  readonly adapt: (text: string, place: Place) => string
  readonly check: (file: string) => readonly string[]
  readonly start: (file: string) => readonly string[]
}

/** The balancers that the package has a configuration of. */
export const balancers: Readonly<Record<'nginx' | 'haproxy' | 'caddy', Kind>> = {
  nginx: {
    file: 'nginx.conf',
    adapt: (text, { folder, port, certificate, key }) => {
      const server = text
        .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
        .replace(/ssl_certificate .*;/, `ssl_certificate ${certificate};`)
        .replace(/ssl_certificate_key .*;/, `ssl_certificate_key ${key};`)
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        (name) => `${name}_temp_path ${folder}/${name};`,
      )
      // its workers could not read the folder otherwise
      const user = process.getuid?.() === 0 ? 'user root;' : ''
      return `${user} pid ${folder}/nginx.pid; error_log stderr; events {} http { access_log off; ${temporary.join(' ')}\n${server}}`
    },
    check: (file) => ['nginx', '-t', '-c', file],
    start: (file) => ['nginx', '-c', file, '-g', 'daemon off;'],
  },
  haproxy: {
    file: 'haproxy.cfg',
    adapt: (text, { port, certificate }) =>
      text
        .replace('log /dev/log local0', 'log stdout format raw local0 notice')
        .replace('bind :443', `bind 127.0.0.1:${port}`)
        .replace(/crt \S+/, `crt ${certificate}`),
    check: (file) => ['haproxy', '-c', '-f', file],
    start: (file) => ['haproxy', '-db', '-f', file],
  },
  caddy: {
    file: 'Caddyfile',
    adapt: (text, { folder, port, certificate, key }) =>
      `{\nadmin off\nauto_https off\nstorage file_system ${folder}\n}\n${text.replace(
        `${host} {`,
        `https://${host}:${port} {\nbind 127.0.0.1\ntls ${certificate} ${key}`,
      )}`,
    check: (file) => ['caddy', 'validate', '--adapter', 'caddyfile', '--config', file],
    start: (file) => ['caddy', 'run', '--adapter', 'caddyfile', '--config', file],
  },
}

export type RealBalancer = {
  /** Sends a request. Rejects where no response came. */
  readonly send: (path: string, init?: SendOptions) => Promise<IncomingMessage>
  /** What it wrote to its log. */
  readonly log: () => string
  readonly stop: () => Promise<void>
}

type SendOptions = Pick<RequestOptions, 'method' | 'localAddress'> & {
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Readable
}

/** Starts a balancer with its shipped configuration, in front of two services at these ports. */
export async function startRealBalancer(
  { file, adapt, check, start }: Kind,
  ports: readonly [number, number],
): Promise<RealBalancer> {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-balancer-'))
  const { ca, ...paths } = await makeCertificate(folder)
  const port = await findFreePort()
  const adapted = join(folder, file)
  const text = readFileSync(join(files, file), 'utf8')
    .replaceAll('10.0.0.11:4020', `127.0.0.1:${ports[0]}`)
    .replaceAll('10.0.0.12:4020', `127.0.0.1:${ports[1]}`)
  writeFileSync(adapted, adapt(text, { folder, port, ...paths }))
  const [checker = '', ...checked] = check(adapted)
  await run(checker, checked)

  const [program = '', ...args] = start(adapted)
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let log = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (log += chunk.toString()))
  const agent = new Agent({ keepAlive: true, ca, servername: host })
  const send: RealBalancer['send'] = async (path, { body, headers, ...init } = {}) => {
    const sent = request({
      host: '127.0.0.1',
      port,
      path,
      agent,
      ...init,
      headers: { host, ...headers },
    })
    if (body instanceof Readable) body.pipe(sent)
    else sent.end(body)
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    return response
  }
  return {
    send,
    log: () => log,
    stop: async () => {
      agent.destroy()
      const exit = once(child, 'exit')
      if (child.exitCode === null && child.kill('SIGTERM')) await exit
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** HAProxy reads the key from the file of the certificate, and the others do not mind it. */
async function makeCertificate(folder: string) {
  const [certificate, key] = [join(folder, 'both.pem'), join(folder, 'key.pem')]
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const subject = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`]
  await run('openssl', ['req', '-x509', ...kind, ...subject, '-keyout', key, '-out', certificate])
  const ca = readFileSync(certificate, 'utf8')
  writeFileSync(certificate, `${ca}${readFileSync(key, 'utf8')}`)
  return { ca, certificate, key }
}

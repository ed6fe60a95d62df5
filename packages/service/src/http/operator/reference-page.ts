import { isRecord } from '../../platform/is-record.js'
import { escapeHtml, markdown } from './markdown.js'
import { referenceStyle } from './reference-style.js'
import { fieldsOf, listOf, resolve, textOf, typeText, type Field, type Json } from './schema-text.js'

export type ReferenceOptions = { readonly origin: string; readonly serviceName: string }

type Listed = { readonly id: string; readonly method: string; readonly path: string; readonly operation: Json }

/** The documentation of the API as one page, without scripts and without other hosts. */
export function referencePage(document: Json, { origin, serviceName }: ReferenceOptions): string {
  const info = resolve(document, document['info'])
  const operations = listed(document)
  const tags = listOf(document['tags']).filter(isRecord)
  const sections = tags
    .map((tag) => ({ tag, own: operations.filter(({ operation }) => listOf(operation['tags'])[0] === tag['name']) }))
    .filter(({ own }) => own.length > 0)
  const title = escapeHtml(`${serviceName} API`)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${referenceStyle}</style>
</head>
<body>
<header>
<h1>${title}</h1>
<p class="soft">Version ${escapeHtml(textOf(info, 'version'))} · base URL <code>${escapeHtml(origin)}/api/v1</code> ·
<a href="/openapi.json">openapi.json</a></p>
<nav aria-label="Operations"><ul>
${operations.map(({ id, operation }) => `<li><a href="#${id}">${escapeHtml(textOf(operation, 'summary'))}</a></li>`).join('\n')}
</ul></nav>
</header>
<main>
${authentication(origin)}
${sections.map(({ tag, own }) => `<h2>${escapeHtml(textOf(tag, 'name'))}</h2>\n${own.map((one) => section(document, one, origin)).join('\n')}`).join('\n')}
<h2>About this API</h2>
<details><summary>Payment, errors, retries, limits, versions</summary><div class="inside">${markdown(textOf(info, 'description'), 3)}</div></details>
</main>
<footer class="soft">This page is made from <a href="/openapi.json">the contract</a> that the service validates by.
<a href="/healthz">Health</a> · <a href="/readyz">readiness</a> · <a href="/metrics">metrics</a></footer>
</body>
</html>
`
}

function authentication(origin: string): string {
  return `<h2>Authentication</h2>
<p>Three kinds of operations: some need nothing, most take an API key <em>or</em> a wallet, the wallet's own need the wallet.
When both credentials come, the wallet's counts.</p>
<p><strong>API key.</strong> Send it as a bearer token. An operator makes one with <code>farebox-service key</code>; an ADMIN key makes
more with <code>POST /api_keys</code>.</p>
<pre><code>curl ${escapeHtml(origin)}/api/v1/models -H "Authorization: Bearer $FAREBOX_API_KEY"</code></pre>
<p><strong>Wallet.</strong> No account: ask what a top-up costs, sign one of the offers, send it back in <code>PAYMENT-SIGNATURE</code>, and
then sign in to each request with <code>SIGN-IN-WITH-X</code>, a message that names <code>${escapeHtml(origin)}</code>.</p>
<pre><code>curl -i -X POST ${escapeHtml(origin)}/api/v1/x402/top-up</code></pre>`
}

function section(document: Json, { id, method, path, operation }: Listed, origin: string): string {
  const parameters = listOf(operation['parameters']).map((one) => resolve(document, one))
  const body = bodyOf(document, operation)
  const table = (heading: string, fields: readonly Field[]) => (fields.length === 0 ? '' : `<h4>${heading}</h4>${fieldTable(fields)}`)
  return `<details id="${id}">
<summary><span class="method">${method}</span><span class="path">${escapeHtml(path)}</span><span class="soft">${escapeHtml(textOf(operation, 'summary'))}</span></summary>
<div class="inside">
${markdown(textOf(operation, 'description'), 4)}
<p><strong>Credentials:</strong> ${credentials(document, operation)}</p>
${operation['x-provisional'] ? '<p class="soft">Provisional: parts of this follow public material and may still change.</p>' : ''}
${table(
  'Parameters',
  parameters.map((one) => ({
    name: `${textOf(one, 'name')} (${textOf(one, 'in')})`,
    type: typeText(document, one['schema']),
    required: one['required'] === true,
    description: textOf(one, 'description'),
  })),
)}
${body === undefined ? '' : table(`Body, ${escapeHtml(body.contentType)}`, fieldsOf(document, body.schema))}
<h4>Example</h4>
<pre><code>${escapeHtml(curl(method, `${origin}/api/v1${path}`, document, operation, body))}</code></pre>
<h4>Answers</h4>
${answers(document, operation)}
</div>
</details>`
}

function fieldTable(fields: readonly Field[]): string {
  const rows = fields.map(
    ({ name, type, required, description }) =>
      `<tr><td><code>${escapeHtml(name)}</code>${required ? '<br><span class="soft">required</span>' : ''}</td><td>${escapeHtml(type)}</td><td>${markdown(description, 5)}</td></tr>`,
  )
  return `<div class="table"><table><thead><tr><th>Name</th><th>Type</th><th>What it is</th></tr></thead><tbody>${rows.join('\n')}</tbody></table></div>`
}

function answers(document: Json, operation: Json): string {
  const rows = Object.entries(isRecord(operation['responses']) ? operation['responses'] : {}).map(([status, node]) => {
    const response = resolve(document, node)
    const types = Object.keys(isRecord(response['content']) ? response['content'] : {}).join(', ')
    return `<tr><td>${escapeHtml(status)}</td><td>${escapeHtml(types)}</td><td>${markdown(textOf(response, 'description'), 5)}</td></tr>`
  })
  return `<div class="table"><table><thead><tr><th>Status</th><th>Type</th><th>When</th></tr></thead><tbody>${rows.join('\n')}</tbody></table></div>`
}

function credentials(document: Json, operation: Json): string {
  const schemes = schemesOf(document, operation)
  const names: Readonly<Record<string, string>> = {
    BearerAuth: 'an API key (<code>Authorization: Bearer</code>)',
    siwx: 'a wallet (<code>SIGN-IN-WITH-X</code>)',
  }
  const ways = schemes.map((scheme) => names[scheme] ?? escapeHtml(scheme))
  return ways.length === 0 ? 'none.' : `${ways.join(' or ')}.`
}

function schemesOf(document: Json, operation: Json): readonly string[] {
  const sets = listOf(operation['security'] ?? document['security']).filter(isRecord)
  return sets.flatMap((set) => Object.keys(set))
}

type Body = { readonly contentType: string; readonly schema: unknown; readonly example: unknown }

function bodyOf(document: Json, operation: Json): Body | undefined {
  const content = resolve(document, operation['requestBody'])['content']
  const [contentType, media] = Object.entries(isRecord(content) ? content : {})[0] ?? []
  if (contentType === undefined || !isRecord(media)) return undefined
  const [example] = Object.values(isRecord(media['examples']) ? media['examples'] : {})
  return { contentType, schema: media['schema'], example: resolve(document, example)['value'] }
}

/** A shell command, with its arguments quoted. */
function curl(method: string, url: string, document: Json, operation: Json, body: Body | undefined): string {
  const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`
  const schemes = schemesOf(document, operation)
  const parts = [`curl -X ${method} ${quoted(url)}`]
  if (schemes.includes('BearerAuth')) parts.push('-H "Authorization: Bearer $FAREBOX_API_KEY"')
  else if (schemes.includes('siwx')) parts.push('-H "SIGN-IN-WITH-X: $SIGNED_MESSAGE"')
  if (body?.contentType === 'application/json' && body.example !== undefined)
    parts.push(`-H 'Content-Type: application/json' -d ${quoted(JSON.stringify(body.example))}`)
  if (body?.contentType === 'multipart/form-data') parts.push('-F file=@FILE')
  return parts.join(' \\\n  ')
}

function listed(document: Json): readonly Listed[] {
  const paths = isRecord(document['paths']) ? document['paths'] : {}
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(isRecord(item) ? item : {})
      .filter(([method, operation]) => ['get', 'post', 'put', 'patch', 'delete'].includes(method) && isRecord(operation))
      .map(([method, operation]) => ({
        id: textOf(operation as Json, 'operationId'),
        method: method.toUpperCase(),
        path,
        operation: operation as Json,
      })),
  )
}

import { renderToStaticMarkup } from 'preact-render-to-string'
import type { JSX } from 'preact'
import type { AccessData, SchemeData, OAuthData } from '../contract/operation-data.js'
import { createReader, toObject, type Json, type DocumentReader } from '../contract/read.js'
import { readOperation, type Resolve } from '../page/contract.js'
import { SchemaView, type SchemaHref } from '../page/fields.js'
import { Endpoint, OperationDetails } from '../page/operation.js'
import { Prose } from '../page/prose.js'
import { describeCall } from './describe-call.js'
import { createFileNames } from './file-names.js'
import type { DocsFile, DocsInput, DocsOperation, DocsScheme } from './input.js'

/** The script and the style sheet of all pages. */
type Assets = { readonly script: string; readonly style: string }

/**
 * Renders a reference of any document: a page that lists its operations, and a page for each
 * operation and each component schema. All links are relative, and nothing loads from another host. Pages come one after the other, as all of
 * them take ten times the room of the document.
 */
export function* renderDocs(input: DocsInput, { script, style }: Assets): Generator<DocsFile> {
  const { document, operations } = input
  const read = createReader(document)
  const schemas = toObject(toObject(document['components'])['schemas'])
  const operationFiles = createFileNames(operations.map(({ id }) => id))
  const schemaFiles = createFileNames(Object.keys(schemas))
  const site: Site = { input, read, operationFiles, schemaFiles }
  yield { path: 'reference.js', text: script }
  yield { path: 'reference.css', text: style }
  yield { path: 'index.html', text: renderPage(input.title, '.', <Index {...site} />) }
  for (const [index, operation] of operations.entries())
    yield {
      path: `operations/${operationFiles.get(operation.id) ?? ''}.html`,
      text: renderPage(
        `${operation.summary ?? operation.id} · ${input.title}`,
        '..',
        <OperationPage operation={operation} index={index} {...site} />,
      ),
    }
  for (const [name, schema] of Object.entries(schemas))
    yield {
      path: `schemas/${schemaFiles.get(name) ?? ''}.html`,
      text: renderPage(
        `${name} · ${input.title}`,
        '..',
        <SchemaPage name={name} schema={toObject(schema)} {...site} />,
      ),
    }
}

type Site = {
  readonly input: DocsInput
  readonly read: DocumentReader
  readonly operationFiles: ReadonlyMap<string, string>
  readonly schemaFiles: ReadonlyMap<string, string>
}

/** The console sends requests to the servers of the document, which may be on any host. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  'media-src blob:',
  'connect-src http: https:',
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')

function renderPage(title: string, root: string, content: JSX.Element): string {
  const page = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content={policy} />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="referrer" content="no-referrer" />
        <meta name="generator" content="farebox-codegen" />
        <title>{title}</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href={`${root}/reference.css`} />
        <script defer src={`${root}/reference.js`} />
      </head>
      <body>{content}</body>
    </html>
  )
  return `<!doctype html>\n${renderToStaticMarkup(page)}\n`
}

/** A longer description is closed at first, so that the operations are in view. */
const longDescription = 1200

function Index({ input, operationFiles }: Site) {
  const { title, version, description = '', operations } = input
  const servers = [...new Set(operations.flatMap((operation) => operation.servers))]
  return (
    <>
      <header>
        <h1>{title}</h1>
        <p class="soft">
          Version {version}
          {servers.slice(0, 3).map((server) => (
            <>
              {' '}
              · <code>{server}</code>
            </>
          ))}
        </p>
      </header>
      <main>
        {description !== '' && (
          <details class="about" open={description.length <= longDescription}>
            <summary>About this API</summary>
            <Prose text={description} />
          </details>
        )}
        <search hidden>
          <label for="filter">Filter operations</label>
          <input
            id="filter"
            type="search"
            autocomplete="off"
            spellcheck={false}
            aria-describedby="filter-status"
            aria-keyshortcuts="/"
          />
          <p id="filter-status" class="soft" role="status" />
        </search>
        {groupByTag(operations).map(([tag, tagged]) => (
          <section class="tag">
            <h2>{tag}</h2>
            <ul>
              {tagged.map(({ id, method, path, summary, deprecated }) => (
                <li data-id={id}>
                  <a href={`operations/${encodeURIComponent(operationFiles.get(id) ?? '')}.html`}>
                    <span class={`method ${method.toLowerCase()}`}>{method}</span>{' '}
                    <span class="summary">{summary ?? id}</span>{' '}
                    {deprecated && <span class="provisional">deprecated </span>}
                    <span class="path">{path}</span>
                  </a>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </main>
      <Footer />
    </>
  )
}

function groupByTag(operations: readonly DocsOperation[]) {
  const groups = new Map<string, DocsOperation[]>()
  for (const operation of operations) {
    const [tag = 'Operations'] = operation.tags
    const group = groups.get(tag)
    if (group === undefined) groups.set(tag, [operation])
    else group.push(operation)
  }
  return [...groups]
}

type OperationProps = Site & { readonly operation: DocsOperation; readonly index: number }

function OperationPage({ operation, index, ...site }: OperationProps) {
  const { input, read, operationFiles } = site
  const { document, operations, schemes } = input
  const { id, method, path, summary, tags } = operation
  const shown = readOperation(document, read, operation)
  const schemeNames = Object.fromEntries(schemes.map((scheme) => [scheme.name, nameScheme(scheme)]))
  const [tag] = tags
  return (
    <>
      <header>
        <Back title={input.title} within={tag} />
        <h1>{summary ?? id}</h1>
        <p class="endpoint">
          <Endpoint method={method} path={path} />
        </p>
      </header>
      <main data-operation={id}>
        <OperationDetails
          operation={shown}
          resolve={read as Resolve}
          data={describeCall(document, read, operation, describeAccess(operation, schemes))}
          samples={[]}
          schemeNames={schemeNames}
          schemaHref={createSchemaHref(site, '../schemas/')}
          level={2}
        />
      </main>
      <nav class="others" aria-label="Other operations">
        <Other label="Previous" operation={operations[index - 1]} files={operationFiles} />
        <Other label="Next" operation={operations[index + 1]} files={operationFiles} />
      </nav>
      <Footer />
    </>
  )
}

type OtherProps = {
  readonly label: string
  readonly operation: DocsOperation | undefined
  readonly files: ReadonlyMap<string, string>
}

function Other({ label, operation, files }: OtherProps) {
  if (operation === undefined) return <span />
  return (
    <a href={`${encodeURIComponent(files.get(operation.id) ?? '')}.html`}>
      {label}: {operation.summary ?? operation.id}
    </a>
  )
}

type SchemaProps = Site & { readonly name: string; readonly schema: Json }

function SchemaPage({ name, schema, ...site }: SchemaProps) {
  const { input, read } = site
  const { description } = read(schema)
  return (
    <>
      <header>
        <Back title={input.title} />
        <h1>{name}</h1>
      </header>
      <main>
        {typeof description === 'string' && <Prose text={description} />}
        <SchemaView
          schema={schema}
          resolve={read as Resolve}
          schemaHref={createSchemaHref(site, '')}
        />
      </main>
      <Footer />
    </>
  )
}

function createSchemaHref({ schemaFiles }: Site, folder: string): SchemaHref {
  return (name) => {
    const file = schemaFiles.get(name)
    return file === undefined ? undefined : `${folder}${encodeURIComponent(file)}.html`
  }
}

function Back({ title, within }: { readonly title: string; readonly within?: string | undefined }) {
  return (
    <p class="soft">
      <a href="../index.html">{title}</a>
      {within !== undefined && <> / {within}</>}
    </p>
  )
}

function Footer() {
  return (
    <footer class="soft">
      Generated from the OpenAPI document by <code>farebox-codegen</code>.
    </footer>
  )
}

const bearerToken: SchemeData = {
  name: 'Bearer token',
  carrier: 'bearer',
  parameter: 'Authorization',
}

/** Schemes that a page cannot perform, such as a client certificate, are left out. */
function describeAccess(
  { servers, security }: DocsOperation,
  schemes: readonly DocsScheme[],
): AccessData {
  // a document without schemes does not say that everybody may call
  if (schemes.length === 0) return { servers, alternatives: [[], [bearerToken]] }
  const known = new Map(
    schemes.flatMap((scheme) => toCarrier(scheme) ?? []).map((one) => [one.name, one]),
  )
  return {
    servers,
    alternatives: security.map((names) => names.flatMap((name) => known.get(name) ?? [])),
  }
}

function toCarrier({
  name,
  kind,
  scheme,
  in: place,
  parameter,
  flows = {},
}: DocsScheme): SchemeData | undefined {
  const authorization = 'Authorization'
  if (kind === 'apiKey' && place !== undefined && parameter !== undefined)
    return { name, carrier: place, parameter }
  if (kind === 'http' && scheme?.toLowerCase() === 'basic')
    return { name, carrier: 'basic', parameter: authorization }
  if (kind === 'http' && scheme?.toLowerCase() !== 'bearer')
    return { name, carrier: 'header', parameter: authorization }
  if (kind === 'http' || kind === 'oauth2' || kind === 'openIdConnect') {
    const oauth = describeOAuth(flows)
    return { name, carrier: 'bearer', parameter: authorization, ...(oauth && { oauth }) }
  }
  return undefined
}

/** The flows that a page can perform. Only absolute addresses of HTTP are opened. */
function describeOAuth(flows: NonNullable<DocsScheme['flows']>): OAuthData | undefined {
  const { authorizationCode, clientCredentials } = flows
  const flow = authorizationCode ?? clientCredentials
  if (flow === undefined) return undefined
  const { tokenUrl = '' } = flow.urls
  const { authorizationUrl = '' } = authorizationCode?.urls ?? {}
  if (!isAddress(tokenUrl)) return undefined
  return {
    tokenUrl,
    isForClients: clientCredentials !== undefined,
    scopes: Object.keys(flow.scopes),
    ...(isAddress(authorizationUrl) && { authorizationUrl }),
  }
}

function isAddress(url: string): boolean {
  return /^https?:\/\//i.test(url) && URL.canParse(url)
}

function nameScheme({ name, kind, scheme, in: place, parameter }: DocsScheme): string {
  const how = {
    apiKey: `${place ?? ''} ${parameter ?? ''}`,
    http: `HTTP ${scheme ?? ''}`,
    oauth2: 'OAuth 2.0',
    openIdConnect: 'OpenID Connect',
    mutualTLS: 'client certificate',
  }[kind]
  return `${name} (${how.trim()})`
}

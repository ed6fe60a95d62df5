import type { HTMLAttributes } from 'preact'
import type { OperationData } from '../contract/operation-data.js'
import { Body, Fields, type SchemaHref } from './fields.js'
import type { Example } from '../contract/read.js'
import type { ResponseInfo, Content, RefSchema, Resolve, OperationPage } from './contract.js'
import { inlineHtml, Prose } from './prose.js'

declare module 'preact' {
  namespace JSX {
    interface IntrinsicElements {
      'farebox-console': HTMLAttributes<HTMLElement>
    }
  }
}

/** A sample of an operation in one language. */
export type Sample = { readonly label: string; readonly code: string }

type Props = {
  readonly operation: OperationPage
  readonly resolve: Resolve
  /** What the console of the operation needs. */
  readonly data: OperationData
  readonly samples: readonly Sample[]
  /** Default: the names of our contract. */
  readonly schemeNames?: SchemeNames
  readonly schemaHref?: SchemaHref
  /** The level of the headings. Default: 4. */
  readonly level?: 2 | 4
}

/** Security schemes in the words of a reader, by their names in the document. */
type SchemeNames = Readonly<Record<string, string>>

/** An operation on the page of a service, closed at first. */
export function OperationSection({ operation, ...rest }: Props) {
  const { id, method, path } = operation.record
  return (
    <details id={id} class="operation">
      <summary>
        <Endpoint method={method} path={path} /> <span>{operation.summary}</span>
      </summary>
      <OperationDetails operation={operation} {...rest} />
    </details>
  )
}

export function Endpoint({ method, path }: { readonly method: string; readonly path: string }) {
  return (
    <>
      <span class={`method ${method.toLowerCase()}`}>{method}</span> <code>{path}</code>
    </>
  )
}

/** Description, fields, code, console and responses of an operation. */
export function OperationDetails({
  operation,
  resolve,
  data,
  samples,
  schemeNames = ourSchemeNames,
  schemaHref,
  level = 4,
}: Props) {
  const { record, description, provisional, deprecated, parameters, body, responses } = operation
  const { id, priceUsd, idempotent } = record
  const Heading = `h${level}` as const
  return (
    <>
      <div class="columns">
        <div>
          {deprecated && (
            <p class="provisional">This operation is deprecated: it may be removed.</p>
          )}
          <Prose text={description} />
          <dl class="facts">
            {Object.keys(schemeNames).length > 0 && (
              <Fact term="Who may call">{describeCallers(operation, schemeNames)}</Fact>
            )}
            <Fact term="Idempotent">
              {idempotent ? 'Yes' : 'No: repeating a call repeats its effect'}
            </Fact>
            {priceUsd !== undefined && <Fact term="Price">{priceUsd} USD</Fact>}
            {provisional !== false && (
              <Fact term="Provisional">
                Parts of this follow public material and may still change
              </Fact>
            )}
          </dl>
        </div>
        <div class="fields-column">
          {Object.keys(parameters.properties ?? {}).length > 0 && (
            <>
              <Heading>Parameters</Heading>
              <Fields schema={parameters} resolve={resolve} schemaHref={schemaHref} />
            </>
          )}
          {body.length > 0 && <Heading>Body</Heading>}
          {body.map((content) => (
            <Body content={content} resolve={resolve} schemaHref={schemaHref} />
          ))}
        </div>
        <div class="code-column">
          {(samples.length > 0 || body.some(({ examples }) => examples.length > 0)) && (
            <Heading>Request</Heading>
          )}
          {samples.map(({ label, code }, index) => (
            <details name={`samples-${id}`} open={index === 0}>
              <summary>{label}</summary>
              <Code text={code} label={`${label} sample`} />
            </details>
          ))}
          <Examples contents={body} most={2} />
        </div>
      </div>
      <Heading>Try it</Heading>
      <farebox-console>
        <script type="application/json" dangerouslySetInnerHTML={{ __html: serialize(data) }} />
      </farebox-console>
      <Heading>Responses</Heading>
      {responses.map((response) => (
        <ResponseRow
          response={response}
          responses={responses}
          id={id}
          resolve={resolve}
          schemaHref={schemaHref}
          level={level}
        />
      ))}
    </>
  )
}

/** JSON that cannot end the script which it is in. */
function serialize(data: OperationData): string {
  return JSON.stringify(data).replaceAll('<', String.raw`\u003c`)
}

function Fact({ term, children }: { readonly term: string; readonly children: unknown }) {
  return (
    <div>
      <dt>{term}</dt>
      <dd>{children as string}</dd>
    </div>
  )
}

const ourSchemeNames: SchemeNames = {
  siwx: 'a wallet (SIGN-IN-WITH-X)',
  BearerAuth: 'an API key',
}

export function describeCallers(
  { record: { security } }: OperationPage,
  names: SchemeNames = ourSchemeNames,
): string {
  return security
    .map((schemes) =>
      schemes.length === 0
        ? 'anybody'
        : schemes.map((scheme) => names[scheme] ?? scheme).join(' and '),
    )
    .join(', or ')
}

type RowProps = {
  readonly response: ResponseInfo
  readonly responses: readonly ResponseInfo[]
  readonly id: string
  readonly resolve: Resolve
  readonly schemaHref: SchemaHref | undefined
  readonly level: 2 | 4
}

function ResponseRow({
  response: { status, description, headers, contents },
  responses,
  id,
  resolve,
  schemaHref,
  level,
}: RowProps) {
  const Heading = level === 2 ? 'h3' : 'h5'
  const own = headers.filter(({ name }) => !/^x-ratelimit-/i.test(name))
  return (
    <div class="columns response">
      <div>
        <Heading id={`${id}-${status}`}>{status}</Heading>
        <Prose text={description} />
        {own.length > 0 && (
          <ul class="headers">
            {own.map(({ name, description: about }) => (
              <li>
                <code>{name}</code> <span dangerouslySetInnerHTML={inlineHtml(about)} />
              </li>
            ))}
          </ul>
        )}
      </div>
      <div class="fields-column">
        {contents.map((content) => {
          const same = firstWith(content.schema, responses)
          return (
            <Body
              content={content}
              resolve={resolve}
              schemaHref={schemaHref}
              sameAs={
                same === undefined || same === status
                  ? undefined
                  : { status: same, href: `#${id}-${same}` }
              }
            />
          )
        })}
      </div>
      <div class="code-column">
        <Examples contents={contents} most={1} />
      </div>
    </div>
  )
}

/** The status of the first response with the same body. */
export function firstWith(
  schema: RefSchema | undefined,
  responses: readonly ResponseInfo[],
): string | undefined {
  const text = (one: RefSchema | undefined) => JSON.stringify(one ?? null)
  return responses.find(({ contents }) =>
    contents.some((content) => text(content.schema) === text(schema)),
  )?.status
}

function Examples({
  contents,
  most,
}: {
  readonly contents: readonly Content[]
  readonly most: number
}) {
  const examples: readonly Example[] = contents.flatMap(({ examples: all }) => all.slice(0, most))
  return (
    <>
      {examples.map(({ title, value }) => (
        <figure>
          <figcaption>{title}</figcaption>
          <Code
            text={typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '')}
            label={title}
          />
        </figure>
      ))}
    </>
  )
}

function Code({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <pre tabIndex={0} role="region" aria-label={label}>
      <code>{text}</code>
    </pre>
  )
}

import type { HTMLAttributes } from 'preact'
import { operationData } from '../contract/operation-data.js'
import { Body, Fields } from './fields.js'
import type { Answer, Content, Contract, Example, RefSchema, Shown } from './contract.js'
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
  readonly operation: Shown
  readonly contract: Contract
  readonly document: Readonly<Record<string, unknown>>
  readonly samples: readonly Sample[]
}

/** An operation on the page of a service: description, fields, code, console and responses. */
export function OperationSection({ operation, contract, document, samples }: Props) {
  const { record, summary, description, provisional, parameters, body, answers } = operation
  const { id, method, path, priceUsd, idempotent } = record
  const { resolve } = contract
  return (
    <details id={id} class="operation">
      <summary>
        <span class={`method ${method.toLowerCase()}`}>{method}</span> <code>{path}</code>{' '}
        <span>{summary}</span>
      </summary>
      <div class="columns">
        <div>
          <Prose text={description} />
          <dl class="facts">
            <Fact term="Who may call">{describeCallers(operation)}</Fact>
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
              <h4>Parameters</h4>
              <Fields schema={parameters} resolve={resolve} />
            </>
          )}
          {body.length > 0 && <h4>Body</h4>}
          {body.map((content) => (
            <Body content={content} resolve={resolve} />
          ))}
        </div>
        <div class="code-column">
          <h4>Request</h4>
          {samples.map(({ label, code }, index) => (
            <details name={`samples-${id}`} open={index === 0}>
              <summary>{label}</summary>
              <Code text={code} label={`${label} sample`} />
            </details>
          ))}
          <Examples contents={body} most={2} />
        </div>
      </div>
      <h4>Try it</h4>
      <farebox-console>
        <script
          type="application/json"
          dangerouslySetInnerHTML={{ __html: serializeData(document, record) }}
        />
      </farebox-console>
      <h4>Responses</h4>
      {answers.map((answer) => (
        <AnswerRow answer={answer} answers={answers} id={id} contract={contract} />
      ))}
    </details>
  )
}

function serializeData(
  document: Readonly<Record<string, unknown>>,
  record: Shown['record'],
): string {
  return JSON.stringify(operationData(document, record)).replaceAll('<', String.raw`\u003c`)
}

function Fact({ term, children }: { readonly term: string; readonly children: unknown }) {
  return (
    <div>
      <dt>{term}</dt>
      <dd>{children as string}</dd>
    </div>
  )
}

export function describeCallers({ record: { security } }: Shown): string {
  const names: Readonly<Record<string, string>> = {
    siwx: 'a wallet (SIGN-IN-WITH-X)',
    BearerAuth: 'an API key',
  }
  return security
    .map((schemes) =>
      schemes.length === 0
        ? 'anybody'
        : schemes.map((scheme) => names[scheme] ?? scheme).join(' and '),
    )
    .join(', or ')
}

type RowProps = {
  readonly answer: Answer
  readonly answers: readonly Answer[]
  readonly id: string
  readonly contract: Contract
}

function AnswerRow({
  answer: { status, description, headers, contents },
  answers,
  id,
  contract: { resolve },
}: RowProps) {
  const own = headers.filter(({ name }) => !/^x-ratelimit-/i.test(name))
  return (
    <div class="columns answer">
      <div>
        <h5 id={`${id}-${status}`}>{status}</h5>
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
          const same = firstWith(content.schema, answers)
          return (
            <Body
              content={content}
              resolve={resolve}
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
  answers: readonly Answer[],
): string | undefined {
  const text = (one: RefSchema | undefined) => JSON.stringify(one ?? null)
  return answers.find(({ contents }) =>
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
            text={typeof value === 'string' ? value : JSON.stringify(value, null, 2)}
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

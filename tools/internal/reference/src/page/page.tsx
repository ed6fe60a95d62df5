import { renderToStaticMarkup } from 'preact-render-to-string'
import { operationData } from '../contract/operation-data.js'
import { readContract, type OperationPage } from './contract.js'
import { OperationSection, type Sample } from './operation.js'
import { Prose } from './prose.js'

/** The service replaces these by its address and its name, escaped for HTML. */
export const placeholders = { origin: '{{origin}}', serviceName: '{{serviceName}}' } as const

/** The reference as one page, which a service serves at its root. */
export function referencePage(
  document: Readonly<Record<string, unknown>>,
  listSamples: (operation: OperationPage) => readonly Sample[],
): string {
  const contract = readContract(document)
  const { version, description, operations } = contract
  const { origin, serviceName } = placeholders
  const tags = [...new Set(operations.map(({ record }) => record.tags[0] ?? ''))]
  const page = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{serviceName} API</title>
        <link rel="stylesheet" href="/reference/page.css" />
        <link rel="stylesheet" href="/reference/console-style.css" />
        <script type="module" src="/reference/console.js" />
      </head>
      <body>
        <header>
          <h1>{serviceName} API</h1>
          <p class="soft">
            Version {version} · base URL <code>{origin}/api/v1</code> ·{' '}
            <a href="/openapi.json">openapi.json</a>
          </p>
          <nav aria-label="Operations">
            <ul>
              {operations.map(({ record, summary }) => (
                <li>
                  <a href={`#${record.id}`}>{summary}</a>
                </li>
              ))}
            </ul>
          </nav>
        </header>
        <main>
          {tags.map((tag) => (
            <>
              <h2>{tag}</h2>
              {operations
                .filter(({ record }) => record.tags[0] === tag)
                .map((operation) => (
                  <OperationSection
                    operation={operation}
                    resolve={contract.resolve}
                    data={operationData(document, operation.record)}
                    samples={listSamples(operation)}
                  />
                ))}
            </>
          ))}
          <h2>About this API</h2>
          <details>
            <summary>Payment, errors, retries, limits, versions</summary>
            <Prose text={description} />
          </details>
        </main>
        <footer class="soft">
          Generated from <a href="/openapi.json">the contract</a>, which also validates requests.{' '}
          <a href="/healthz">Health</a> · <a href="/readyz">readiness</a> ·{' '}
          <a href="/metrics">metrics</a>
        </footer>
      </body>
    </html>
  )
  return `<!doctype html>\n${renderToStaticMarkup(page)}\n`
}

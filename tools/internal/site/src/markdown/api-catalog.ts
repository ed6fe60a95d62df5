/**
 * The catalogue of the API for programs, by RFC 9727: a link set (RFC 9264) with its document, its
 * reference and the list of pages. `site` is where it is published; without it addresses are
 * relative to the server.
 */
export function apiCatalog(base: string, site: string | undefined): string {
  const address = (path: string) =>
    site === undefined ? base + path : new URL(base + path, site).href
  const set = {
    linkset: [
      {
        anchor: address('api/'),
        'service-desc': [
          { href: address('openapi.json'), type: 'application/vnd.oai.openapi+json' },
        ],
        'service-doc': [
          { href: address('api/'), type: 'text/html' },
          { href: address('api.md'), type: 'text/markdown' },
        ],
        'service-meta': [{ href: address('llms.txt'), type: 'text/plain' }],
      },
    ],
  }
  return `${JSON.stringify(set, null, 2)}\n`
}

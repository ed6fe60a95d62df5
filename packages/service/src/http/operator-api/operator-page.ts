import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

const html = readFileSync(new URL('../../../prepared/operator-page.html', import.meta.url), 'utf8')

/** The page may only use its own script and style, and only call its own origin. */
const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    `script-src '${hashContent('script')}'`,
    `style-src '${hashContent('style')}'`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cross-origin-opener-policy': 'same-origin',
}

/**
 * The page of the operator in one file, which `prepared/operator-page.mjs` makes of
 * `operator-page/`. It holds no data of the service, and asks for nothing from elsewhere.
 */
export function operatorPage(): Response {
  return new Response(html, { headers })
}

function hashContent(tag: 'script' | 'style'): string {
  const content = html.slice(
    html.indexOf(`<${tag}>`) + tag.length + 2,
    html.lastIndexOf(`</${tag}>`),
  )
  return `sha256-${createHash('sha256').update(content).digest('base64')}`
}

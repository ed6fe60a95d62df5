import { createHash } from 'node:crypto'
import { markup } from './markup.js'
import { script } from './script.js'
import { style } from './style.js'

/** The page in one file. It holds nothing of the service, and asks for nothing from elsewhere. */
const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Farebox operator</title>
<style>${style}</style>
</head>
<body>
${markup}
<script>${script}</script>
</body>
</html>
`

/** The page may run its own script and style alone, and may ask its own origin alone. */
const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    `script-src '${hashForPolicy(script)}'`,
    `style-src '${hashForPolicy(style)}'`,
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

export function operatorPage(): Response {
  return new Response(page, { headers })
}

function hashForPolicy(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}

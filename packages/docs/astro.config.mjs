import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import starlight from '@astrojs/starlight'
import { defineConfig, passthroughImageService } from 'astro/config'
import { sidebar } from './src/sidebar.mjs'

const site = process.env['SITE_URL']

const base = process.env['SITE_BASE'] ?? '/'

/** Pages link to each other from the root; a site below a folder has that folder in front. */
const rebase = {
  name: 'rebase',
  hooks: {
    'astro:build:done': async ({ dir }) => {
      if (base === '/') return
      const folder = fileURLToPath(dir)
      const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.html'))
      for (const name of files) {
        const html = readFileSync(join(folder, name), 'utf8')
        const moved = html.replaceAll(/href="\/(?!\/)([^"]*)"/g, (whole, path) =>
          `/${path}`.startsWith(base) ? whole : `href="${base}${path}"`,
        )
        writeFileSync(join(folder, name), moved)
      }
    },
  },
}

/** A table that is wider than its page scrolls, and what scrolls must be reachable by keyboard. */
function scrollableTables() {
  const visit = (node) => {
    if (node.type === 'element' && node.tagName === 'table') node.properties = { ...node.properties, tabIndex: 0 }
    for (const child of node.children ?? []) visit(child)
  }
  return visit
}

export default defineConfig({
  base,
  ...(site && { site }),
  trailingSlash: 'always',
  image: { service: passthroughImageService() },
  markdown: { rehypePlugins: [scrollableTables] },
  devToolbar: { enabled: false },
  vite: { server: { fs: { allow: ['../..'] } } },
  integrations: [
    starlight({
      title: 'Farebox',
      description: 'An OpenAI-compatible inference API that is paid for with an API key or with a wallet.',
      favicon: '/favicon.svg',
      logo: { src: './src/assets/mark.svg', alt: '' },
      credits: false,
      pagination: true,
      // the table of contents has the links; an icon for each heading costs more than half of some
      // pages
      markdown: { headingLinks: false },
      tableOfContents: { minHeadingLevel: 2, maxHeadingLevel: 3 },
      customCss: ['./src/styles/theme.css', './src/styles/reference.css'],
      components: { Search: './src/components/Search.astro' },
      expressiveCode: {
        themes: ['github-dark-high-contrast', 'github-light-high-contrast'],
        styleOverrides: { borderRadius: '0.5rem', codeFontSize: '0.84rem' },
        minSyntaxHighlightingColorContrast: 5.5,
      },
      sidebar,
    }),
    rebase,
  ],
})

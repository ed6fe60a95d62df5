import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import starlight from '@astrojs/starlight'
import { defineConfig, passthroughImageService } from 'astro/config'
import { repository } from './src/repository.mjs'
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
      const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
        name.endsWith('.html'),
      )
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

/**
 * Code that scrolls must be reachable by keyboard. Expressive Code looks when a block changes its
 * size, but a webfont that comes later changes only the width of the code in it. This watches the
 * code, and acts in the same frame.
 */
const reachableCode = `
const observer = new ResizeObserver((entries) => {
  for (const { target: { parentElement: pre } } of entries) {
    if (pre.scrollWidth <= pre.clientWidth) continue
    pre.tabIndex = 0
    pre.setAttribute('role', 'region')
  }
})
const watch = () => document.querySelectorAll('.expressive-code pre > code').forEach((code) => observer.observe(code))
document.addEventListener('DOMContentLoaded', watch)
document.addEventListener('astro:page-load', watch)`

/** A table that is wider than its page scrolls, and what scrolls must be reachable by keyboard. */
function scrollableTables() {
  const visit = (node) => {
    if (node.type === 'element' && node.tagName === 'table')
      node.properties = { ...node.properties, tabIndex: 0 }
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
  // a page loads its own content, and nothing ahead of a click
  prefetch: false,
  vite: { server: { fs: { allow: ['../..'] } } },
  integrations: [
    starlight({
      title: 'Farebox',
      description: 'Call AI models and pay per request, with an API key or just a wallet.',
      favicon: '/favicon.svg',
      logo: { src: './src/assets/mark.svg', alt: '' },
      credits: false,
      social: [{ icon: 'github', label: 'GitHub', href: repository }],
      editLink: { baseUrl: `${repository}/edit/main/packages/docs/` },
      pagination: true,
      // the table of contents has the links; an icon for each heading costs more than half of some
      // pages
      markdown: { headingLinks: false },
      tableOfContents: { minHeadingLevel: 2, maxHeadingLevel: 3 },
      customCss: [
        '@fontsource-variable/figtree',
        '@fontsource/ibm-plex-mono/latin-400.css',
        './src/styles/theme.css',
        './src/styles/code-colours.css',
        './src/styles/front.css',
        '@farebox/reference/operation.css',
        './src/styles/reference.css',
      ],
      head: [{ tag: 'script', content: `(() => {${reachableCode}})()` }],
      routeMiddleware: './src/page-head.ts',
      components: {
        Search: './src/components/Search.astro',
        PageTitle: './src/components/PageTitle.astro',
        Sidebar: './src/components/Sidebar.astro',
        SkipLink: './src/components/SkipLink.astro',
        SiteTitle: './src/components/SiteTitle.astro',
        MarkdownContent: './src/components/MarkdownContent.astro',
      },
      sidebar,
    }),
    rebase,
  ],
})

import { defineRouteMiddleware } from '@astrojs/starlight/route-data'
import { markdownPath } from './lib/markdown-path'

/**
 * Each page names its Markdown, which `tools/internal/site` writes beside it, and the picture that stands
 * for it where it is shared. The front page has the menu of the others, which CSS shows on a phone.
 */
export const onRequest = defineRouteMiddleware(({ locals, site, url }) => {
  const { starlightRoute: route } = locals
  const base = import.meta.env.BASE_URL
  const card = new URL(`${base.replace(/\/?$/, '/')}card.png`, site ?? url)
  const properties = {
    'og:image': site === undefined ? card.pathname : card.href,
    'og:image:width': '1200',
    'og:image:height': '630',
  }
  for (const [property, content] of Object.entries(properties))
    route.head.push({ tag: 'meta', attrs: { property, content } })
  route.hasSidebar ||= url.pathname === base
  if (route.entry.slug === '404') return
  route.head.push({
    tag: 'link',
    attrs: { rel: 'alternate', type: 'text/markdown', href: markdownPath(url) },
  })
  const catalog = `${base.replace(/\/?$/, '/')}.well-known/api-catalog`
  route.head.push({ tag: 'link', attrs: { rel: 'api-catalog', href: catalog } })
})

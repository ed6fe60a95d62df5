import starlight from '@astrojs/starlight'
import { defineConfig, passthroughImageService } from 'astro/config'
import { sidebar } from './src/sidebar.mjs'

const site = process.env['SITE_URL']

export default defineConfig({
  base: process.env['SITE_BASE'] ?? '/',
  ...(site && { site }),
  trailingSlash: 'always',
  image: { service: passthroughImageService() },
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
      tableOfContents: { minHeadingLevel: 2, maxHeadingLevel: 3 },
      customCss: ['./src/styles/theme.css', './src/styles/reference.css'],
      expressiveCode: {
        themes: ['github-dark-high-contrast', 'github-light-high-contrast'],
        styleOverrides: { borderRadius: '0.5rem', codeFontSize: '0.84rem' },
        minSyntaxHighlightingColorContrast: 5.5,
      },
      sidebar,
    }),
  ],
})

// How code looks. It is a file of its own because `<Code>` takes no plugin from astro.config.mjs.
import { defineEcConfig } from '@astrojs/starlight/expressive-code'
import { classes } from './src/code-colours.mjs'

/** A word of a usual colour has a class, which is shorter than a style. */
const usualColours = {
  name: 'usual-colours',
  hooks: { postprocessRenderedLine: ({ renderData }) => classify(renderData.lineAst) },
}

function classify(node) {
  const name = classes[node.properties?.style]
  if (name !== undefined && Object.keys(node.properties).length === 1)
    node.properties = { className: [name] }
  for (const child of node.children ?? []) classify(child)
}

/** Text in the colour that code has anyway needs no element: a third of the elements of a page. */
const plainText = {
  name: 'plain-text',
  hooks: {
    postprocessRenderedLine: ({ renderData, styleVariants }) => {
      const plain = styleVariants
        .map(({ theme }, index) => `--${index}:${theme.fg.toUpperCase()}`)
        .join(';')
      unwrap(renderData.lineAst, plain)
    },
  },
}

function unwrap(node, plain) {
  node.children = node.children?.flatMap((child) => {
    const { properties = {} } = child
    return child.tagName === 'span' &&
      properties.style === plain &&
      Object.keys(properties).length === 1
      ? child.children
      : [child]
  })
  for (const child of node.children ?? []) unwrap(child, plain)
}

export default defineEcConfig({
  themes: ['github-dark-high-contrast', 'github-light-high-contrast'],
  styleOverrides: { borderRadius: '0.5rem', codeFontSize: '0.84rem' },
  minSyntaxHighlightingColorContrast: 5.5,
  plugins: [plainText, usualColours],
})

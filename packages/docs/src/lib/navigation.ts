/**
 * A link to another page replaces the document's content and keeps its memory, in which the session
 * of the reference lives. The sidebar is new then, and is scrolled to where it was.
 */
export function keepSidebar(): void {
  document.addEventListener('astro:before-swap', () => {
    const top = sidebar()?.scrollTop ?? 0
    document.addEventListener('astro:after-swap', () => sidebar()?.scrollTo({ top }), {
      once: true,
    })
  })
}

function sidebar(): Element | null {
  return document.querySelector('#starlight__sidebar')
}

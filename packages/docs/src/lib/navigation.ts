/**
 * A link to another page replaces the document's content and keeps its memory, in which the session
 * of the reference lives. The sidebar is new then, and is scrolled to where it was.
 */
export function keepSidebar(): void {
  document.addEventListener('astro:before-swap', () => {
    const top = findSidebar()?.scrollTop ?? 0
    document.addEventListener('astro:after-swap', () => findSidebar()?.scrollTo({ top }), {
      once: true,
    })
  })
}

function findSidebar(): Element | null {
  return document.querySelector('#starlight__sidebar')
}

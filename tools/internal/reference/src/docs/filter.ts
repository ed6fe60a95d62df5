/** Shows only the operations that contain all words of the filter. `/` moves to it. */
export function startFilter(page: Document): void {
  const input = page.querySelector<HTMLInputElement>('#filter')
  const status = page.querySelector('#filter-status')
  if (input === null || status === null) return
  const sections = [...page.querySelectorAll<HTMLElement>('section.tag')].map((section) => ({
    section,
    items: [...section.querySelectorAll('li')].map((item) => ({
      item,
      text: `${section.querySelector('h2')?.textContent ?? ''} ${item.dataset['id'] ?? ''} ${item.textContent}`.toLowerCase(),
    })),
  }))
  const filter = () => {
    const words = input.value.toLowerCase().split(/\s+/)
    let count = 0
    for (const { section, items } of sections) {
      let found = 0
      for (const { item, text } of items) {
        item.hidden = !words.every((word) => text.includes(word))
        if (!item.hidden) found++
      }
      section.hidden = found === 0
      count += found
    }
    status.textContent = `${count} ${count === 1 ? 'operation' : 'operations'}`
  }
  input.addEventListener('input', filter)
  input.addEventListener('keydown', ({ key }) => {
    if (key === 'Enter') page.querySelector<HTMLElement>('section.tag li:not([hidden]) a')?.click()
  })
  page.addEventListener('keydown', (event) => {
    const { target, key } = event
    if (key !== '/' || (target instanceof HTMLElement && target.matches('input, textarea, select')))
      return
    event.preventDefault()
    input.focus()
  })
  // a browser that goes back restores the words
  addEventListener('pageshow', filter)
  input.closest('search')?.removeAttribute('hidden')
  filter()
}

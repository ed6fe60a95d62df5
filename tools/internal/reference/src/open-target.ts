/** Opens the operation that the address names, now and after each link to one. */
export function openTarget(): void {
  const open = () => {
    const target = document.querySelector(`details[id="${CSS.escape(location.hash.slice(1))}"]`)
    if (target instanceof HTMLDetailsElement) target.open = true
  }
  addEventListener('hashchange', open)
  open()
}

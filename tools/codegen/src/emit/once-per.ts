/**
 * Memoizes a function of an object: a parameter or a response that many operations share is one
 * object.
 */
export function oncePer<K extends object, V>(make: (key: K) => V): (key: K) => V {
  const known = new WeakMap<K, { readonly value: V }>()
  return (key) => {
    const found = known.get(key)
    if (found !== undefined) return found.value
    const value = make(key)
    known.set(key, { value })
    return value
  }
}

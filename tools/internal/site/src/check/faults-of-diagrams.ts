/**
 * Runs in the page. No edge of a diagram passes through a text, and each arrow ends at a shape.
 * Returns the faults, each with the text or the arrow.
 */
export function faultsOfDiagrams(): readonly string[] {
  type Point = { readonly x: number; readonly y: number }
  /** The distance of an arrow from its target, and the depth of a line in a text, at most. */
  const [near, deep] = [7, 2]
  const outlines = 'rect, path, line, polygon'

  /** Points on the outline of a shape, three units apart. */
  function traceOutline(shape: SVGGeometryElement): readonly Point[] {
    const length = shape.getTotalLength()
    return Array.from({ length: Math.ceil(length / 3) + 1 }, (_, index) =>
      shape.getPointAtLength(Math.min(length, index * 3)),
    )
  }

  return [...document.querySelectorAll<SVGSVGElement>('figure.diagram svg')].flatMap((svg) => {
    const name = svg.querySelector('title')?.textContent ?? ''
    const shapes = [...svg.querySelectorAll<SVGGeometryElement>(outlines)].filter(
      (shape) => shape.closest('defs') === null,
    )
    const drawn = shapes.map((shape) => ({
      shape,
      points: traceOutline(shape),
      isArrow: shape.hasAttribute('marker-end'),
    }))

    const crossed = [...svg.querySelectorAll('text')].flatMap((text) => {
      const { x, y, width, height } = text.getBBox()
      const isIn = (point: Point): boolean =>
        point.x > x + deep &&
        point.x < x + width - deep &&
        point.y > y + deep &&
        point.y < y + height - 2 * deep
      return drawn.some(({ points }) => points.some(isIn))
        ? [`"${name}": an edge passes through "${text.textContent}"`]
        : []
    })
    const lost = drawn.flatMap(({ shape, points, isArrow }) => {
      const end = points.at(-1)
      if (!isArrow || end === undefined) return []
      const isReached = drawn.some(
        (other) =>
          !other.isArrow &&
          other.points.some((point) => Math.hypot(point.x - end.x, point.y - end.y) <= near),
      )
      return isReached ? [] : [`"${name}": the arrow ${shape.getAttribute('d')} ends at nothing`]
    })
    return [...crossed, ...lost]
  })
}

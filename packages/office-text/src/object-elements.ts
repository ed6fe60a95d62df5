import { readActiveX } from './active-x.js'
import { createAlternates } from './alternates.js'
import { readChart } from './chart.js'
import { readDiagram } from './diagram.js'
import { doing, type FlowState, type Opener, type Openers } from './flow-state.js'
import { type Relationship, relationshipId } from './relationships.js'

/** Shapes, pictures, and what stands in parts of its own: charts, SmartArt, embedded files. */
export function createObjectElements(state: FlowState): Openers {
  const { file, path, writer, options } = state
  const alternates = createAlternates(writer, state.namespaces)
  const images = new Set<string>()
  let isPlaceholder = false
  let links: ReadonlyMap<string, Relationship> | undefined

  /** The lines of the part that an element refers to. */
  const nested = (attribute: string, read: (part: string) => readonly string[]): Opener =>
    doing((attributes) => {
      const id = relationshipId(attributes, attribute)
      if (id === undefined) return
      links ??= new Map(file.links(path).map((link) => [link.id, link]))
      const found = links.get(id)
      if (found === undefined) file.warnings.add('missing_parts')
      else if (found.path === '') file.warnings.add('unread_parts')
      else writer.addLines(read(found.path))
    })
  const image = doing((attributes) => {
    const id = relationshipId(attributes, 'embed') ?? relationshipId(attributes)
    if (id === undefined || images.has(id)) return
    images.add(id)
    file.warnings.add('images_without_text')
  })

  return {
    AlternateContent: () => alternates.open(),
    Choice: (attributes) => alternates.choice(attributes['Requires'] ?? ''),
    Fallback: () => alternates.fallback(),
    chart: nested('id', (part) => readChart(file, part)),
    relIds: nested('dm', (part) => readDiagram(file, part)),
    altChunk: nested('id', file.readEmbedded),
    OLEObject: nested('id', file.readEmbedded),
    oleObj: nested('id', file.readEmbedded),
    control: nested('id', (part) => readActiveX(file, part)),
    textpath: doing(({ string }) => {
      if (string === undefined) return
      file.characters.spend(string.length)
      writer.addLines([string])
    }),
    blip: image,
    imagedata: image,
    commentReference: doing(() => file.warnings.add('comments')),
    sp() {
      if (options.withoutPlaceholders !== true) return undefined
      isPlaceholder = false
      writer.beginCapture()
      return () => {
        const captured = writer.endCapture()
        if (!isPlaceholder) writer.emit(captured)
      }
    },
    ph: doing(() => (isPlaceholder = true)),
  }
}

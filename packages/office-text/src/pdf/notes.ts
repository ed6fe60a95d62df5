import type { WarningCounter } from '../findings.js'

/** An annotation as pdf.js describes it. */
export type Annotation = {
  readonly subtype?: string
  readonly rect?: readonly number[]
  readonly annotationFlags?: number
  readonly fieldType?: string
  readonly fieldValue?: unknown
  readonly checkBox?: boolean
  readonly radioButton?: boolean
  readonly pushButton?: boolean
  readonly password?: boolean
  readonly exportValue?: string
  readonly buttonValue?: string
  readonly options?: readonly { readonly exportValue: unknown; readonly displayValue: unknown }[]
  readonly textContent?: readonly string[]
  readonly contentsObj?: { readonly str?: string }
  readonly hasAppearance?: boolean
}

/** The flags Hidden and NoView (ISO 32000-1, 12.5.3). */
const invisible = 2 | 32

export type Note = { readonly text: string; readonly rect: readonly number[] }

/** Annotations whose contents are drawn on the page. Others open a window on demand. */
const drawnSubtypes: ReadonlySet<string> = new Set(['FreeText', 'Stamp', 'Line', 'Watermark'])

/**
 * The texts that annotations show: values of form fields (ISO 32000-1, 12.7.4) and free text. The
 * boxes of checks and choices are shown as ☒ and ☐.
 */
export function readNotes(annotations: readonly Annotation[]): readonly Note[] {
  return annotations
    .filter(({ annotationFlags = 0 }) => (annotationFlags & invisible) === 0)
    .map((annotation) => ({
      text: showAnnotation(annotation).replaceAll(/\r\n?/g, '\n'),
      rect: annotation.rect ?? [],
    }))
    .filter(({ text }) => text.trim() !== '')
}

function showAnnotation(annotation: Annotation): string {
  return annotation.subtype === 'Widget' ? showField(annotation) : showNote(annotation)
}

/** Annotations without text of their own: they open something, or belong to another annotation. */
const silent: ReadonlySet<string> = new Set(['Widget', 'Link', 'Popup'])

/** Counts notes that open on demand, and stamps, buttons and signatures, which are pictures. */
export function countUnread(annotations: readonly Annotation[], warnings: WarningCounter): void {
  for (const annotation of annotations) {
    const { subtype = '', annotationFlags = 0, contentsObj, hasAppearance } = annotation
    if ((annotationFlags & invisible) !== 0) continue
    const isPicture =
      subtype === 'Stamp' || annotation.pushButton === true || annotation.fieldType === 'Sig'
    if (isPicture && hasAppearance === true && (annotation.textContent ?? []).length === 0)
      warnings.add('images_without_text')
    const note = contentsObj?.str ?? ''
    if (!silent.has(subtype) && !drawnSubtypes.has(subtype) && note.trim() !== '')
      warnings.add('comments')
  }
}

function showNote({ subtype, textContent, contentsObj }: Annotation): string {
  if (textContent !== undefined && textContent.length > 0) return textContent.join('\n')
  return drawnSubtypes.has(subtype ?? '') ? (contentsObj?.str ?? '') : ''
}

function showField(field: Annotation): string {
  const { fieldValue, textContent } = field
  if (field.password === true) return ''
  if (field.checkBox === true || field.radioButton === true) {
    // a box without a picture of its states has no value of its own
    const on = field.exportValue ?? field.buttonValue ?? (field.checkBox ? fieldValue : undefined)
    const isOn = typeof fieldValue === 'string' && fieldValue !== 'Off' && fieldValue === on
    return isOn ? '☒' : '☐'
  }
  if (field.pushButton === true) return (textContent ?? []).join(' ')
  const values = (Array.isArray(fieldValue) ? fieldValue : [fieldValue]).filter(
    (value): value is string => typeof value === 'string' && value !== '',
  )
  const texts = values.map((value) => {
    const option = field.options?.find(({ exportValue }) => exportValue === value)
    return typeof option?.displayValue === 'string' ? option.displayValue : value
  })
  return texts.length > 0 ? texts.join(', ') : (textContent ?? []).join('\n')
}

import type { TextItem } from './placed-text.js'

/**
 * Replaces ligatures, the forms of Arabic letters and of vertical signs, radicals that look like
 * Chinese characters, and spaces of other widths by what a person types. pdf.js would do so before it orders letters from right to left, and turn ligatures around.
 */
export function replaceForms(items: readonly TextItem[]): readonly TextItem[] {
  return items.map((item) =>
    'str' in item
      ? { ...item, str: item.str.replaceAll(forms, (form) => normalizeForm(form)) }
      : item,
  )
}

const forms =
  /[\u00a0\u00b5\u037e\u0eb3\u2000-\u200a\u202f\u2126\u2e9f\u2ef3\u2f00-\u2fd5\ufb00-\ufdf1\ufdf3-\ufdff\ufe10-\ufe18\ufe31-\ufe44\ufe47\ufe48\ufe70-\ufefc]/g

/** Without the space on which a single vowel stands. */
function normalizeForm(form: string): string {
  return form.normalize('NFKC').replace(/^ (?=\p{M})/u, '')
}

/** The letters of a language beyond ASCII, the most frequent one first. */
export type Language = ReadonlyMap<string, number>

const list = (...alphabets: readonly string[]): readonly Language[] =>
  alphabets.map(
    (alphabet) => new Map(Array.from(alphabet, (letter, at) => [letter, Math.log2(at + 2)])),
  )

export const languages = {
  // French, German, Dutch, Spanish, Portuguese, Catalan, Italian, Swedish, Finnish, Danish and
  // Norwegian, Estonian, Icelandic, Irish, Albanian, Welsh, English
  western: list(
    'éèàêçâôîùûïëœæÿü',
    'üäößéà',
    'éëïöèüêáóí',
    'óíáéñúüç',
    'ãçéáíóêõâúàôü',
    'àéóèíçòïúüñ',
    '  èàòùìéî',
    'äåöéàü',
    'äöåéšž',
    'øåæéöäüôèò',
    'äõüöšž',
    'áíðéóþúýöæø',
    'éáíóú',
    'ëç',
    'âêôîûáïëö',
    'éïèñüöç',
  ),
  // Czech, Slovak, Polish, Hungarian, Romanian, Croatian with Slovene, German, Albanian
  central: list(
    'íáěéýřčšžůúťďňóö',
    'áíýčšžéúľťôňäďóĺŕ',
    'łóąęśżćńźé',
    'áéöóőíüúű',
    'ăîşţâé',
    'čšžćđ',
    'üäöß',
  ),
  // Lithuanian, Latvian, Estonian
  baltic: list('ėųįšžūąęč', 'āīēšūļņžčķģŗō', 'äõüöšž'),
  // Russian, Bulgarian, Ukrainian, Serbian with Macedonian
  cyrillic: list(
    'оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё',
    'аиоентрсвлпдкмзъуягбчщцжшхюйфь',
    'оаинвіртескулдмпьязбгйчхцїжшюєщґф',
    'аоиенртсјвкмдпулзбгчћшњцжљђфџх',
  ),
  greek: list('αοιετσνηυρπκμλςγδβχθφωίάόέήξζώύψϊϋΐΰ'),
  hebrew: list(
    'יוהלארתבמשנחקדכפטזעגסםןצךףץ\u05b8\u05b7\u05b4\u05b0\u05bc\u05c1\u05c2\u05b9\u05b6\u05b5\u05bb\u05b2',
  ),
  arabic: list('الينمرتوبسدفعكةقهحجشطصىخأضزذثإغئءظآؤ،؟'),
  vietnamese: list('\u0301\u0300đâ\u0323ưêôơă\u0309\u0303áàéèúùóíêùâôý'),
}

/**
 * How unlikely a text is in the most likely of some languages, about in bits: the sum of what each
 * character beyond ASCII costs, rare letters more than frequent ones, and of slips.
 */
export function countUnlikely(text: string, some: readonly Language[]): number {
  const counts = new Map<string, number>()
  for (const char of text.toLowerCase().match(/[^\0-\u007f]/gu) ?? [])
    counts.set(char, (counts.get(char) ?? 0) + 1)
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0
  const costs = some.map((language) => {
    let cost = 0
    for (const [char, times] of counts) cost += times * (language.get(char) ?? rateOther(char))
    return cost
  })
  return Math.min(...costs) + count(capitals) + count(slips) * 6 - count(frames) * 5
}

/** The cost of a character that is not a letter of the language. */
function rateOther(char: string): number {
  if (/[\u0080-\u009f\ufffd]/.test(char)) return 12
  return signs.includes(char) ? 3 : 7
}

/** Signs that texts of any language have. */
const signs = '¿¡“”„‚‘’–—…«»€£§°©®•·×½\u00a0\u00ad²³º'

/** Capitals at the beginning of a word. */
const capitals = /(?<!\p{L})(?![A-Z])\p{Lu}(?=\p{Ll})/gu

/** Lines of a drawn table, and shades. */
const frames =
  /[─═](?=[─-╬])|(?<=[─═])[─-╬]|[─-╬](?=[─═])|[░▒▓█▄▀](?=[░▒▓█▄▀])|(?<=[░▒▓█▄▀])[░▒▓█▄▀]|(?<=^|\s)[│║](?=\s|$)/gmu

/** What no spelling has, or hardly any. */
const slips = new RegExp(
  [
    // a capital beyond ASCII within a word, or an ASCII one behind such a letter
    /(?<=\p{Ll})(?![A-Z])\p{Lu}|(?<=\p{L})(?![A-Z])\p{Lu}(?=\p{Ll})|(?<=[ß-ÿ])[A-Z]/u,
    // five accented letters in a row
    /(?<=[À-ɏ]{4})[À-ɏ]/u,
    // a sign other than a dash or an apostrophe between two letters
    /(?<=\p{L})[^\0-\u007f\p{L}\p{M}\p{Z}’‘–—…·\u00ad](?=\p{L})/u,
    // signs on the wrong side of a letter
    /(?<=\p{L})[‚„€•µ]|[¼½¾¸¨®¹](?=\p{Ll})/u,
    // Portuguese ã, French è and Danish æ where they do not stand, and Czech č where è may stand
    /ã(?![oes]|\P{L}|$)|[aäáe]è|è[aeiou]|æ[aou]|[aeiou]æ/u,
    /(?<=[b-df-hj-np-tvwxz])č(?=[b-df-hj-np-tvwxz])/u,
    // the tone of a Vietnamese vowel on another letter
    /(?<![aâăeêioôơuưy])[\u0300-\u0323]/u,
    // a word of Latin and other letters
    /(?<=[A-Za-z])[\u0370-\u06ff]|(?<=[\u0370-\u06ff])[A-Za-z]/u,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gu',
)

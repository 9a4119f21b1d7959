/**
 * The encoding of a few words, such as the names in a zip, that nothing declares and that are too short for
 * statistics: the one in which they are words of a script, and not a mix of signs.
 */

const cjk =
  String.raw`(?![\uff61-\uff9f])` +
  String.raw`[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\u3000-\u303f\uff01-\uff60]`;
const hangul = String.raw`\p{sc=Hangul}`;
/** One sign beside a letter of ASCII: an accented letter, and the one behind it, were read as a pair. */
const isMixed = (text: string): boolean =>
  /(?<!\P{ASCII})\P{ASCII}(?=[a-z])|(?<=[a-z])\P{ASCII}(?!\P{ASCII})/iu.test(text);
const isOnly = (text: string, characters: string): boolean =>
  new RegExp(`^(?:\\p{ASCII}|${characters})*$`, "u").test(text) && !isMixed(text);
const hasKana = (text: string): boolean => /[\p{sc=Hiragana}\p{sc=Katakana}]/u.test(text);

/** Whether all pairs of bytes from 0x80 on are within these, as those of the usual characters are. */
const isUsual = (bytes: Uint8Array, pair: RegExp): boolean =>
  new RegExp(`^(?:[\\0-\\x7f]|${pair.source})*$`).test(Buffer.from(bytes).toString("latin1"));

/** Syllables of Thai without its rare letters: a vowel, a consonant, marks, and vowels behind. */
const [consonant, marks] = ["[กขคงจฉชซญฐณดตถทธนบปผพฟภมยรลวศษสหอ]", "[\u0e31\u0e34-\u0e3a\u0e47-\u0e4e]*"];
const thai = new RegExp(`^(?:\\p{ASCII}|[เ-ไ]?${consonant}${marks}[ะาำๆ]*)*$`, "u");
/** Letters of Turkish that are others in Western Europe, and letters that it lacks. */
const [turkish, western] = [/[ğışĞİŞ]/, /[áàäãåéèêëíìïñóòôõúùæøÁÀÄÃÅÉÈÊËÍÌÏÑÓÒÔÕÚÙÆØ]/];

/** Words of one script, which are in small letters but for their beginning, or all in capitals. */
const hasWords = (text: string, script: string): boolean =>
  isOnly(text, String.raw`(?=\p{L})\p{sc=${script}}`) &&
  new RegExp(`\\p{sc=${script}}{2}`, "u").test(text) &&
  !/[a-z]\P{ASCII}|\P{ASCII}[a-z]/iu.test(text) &&
  !/\p{Ll}\p{Lu}/u.test(text);

const isAccented = (text: string): boolean =>
  /^[\p{ASCII}\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u017f]*$/u.test(text) && !/\p{Ll}\p{Lu}/u.test(text);
/** Signs within words, as Windows-1252 has them in the place of letters of other encodings. */
const isOddInWesternEurope = (bytes: Uint8Array): boolean => {
  const text = new TextDecoder("windows-1252").decode(bytes);
  return /\p{L}(?![°·«»])[\x80-\xbf\xd7\xf7]\p{L}/u.test(text);
};

interface Candidate {
  encoding: string;
  isLikely(text: string, bytes: Uint8Array): boolean;
  /** The most frequent characters, which decide between several. */
  frequent: RegExp;
}

const candidates: Candidate[] = [
  {
    encoding: "windows-874",
    isLikely: (text) => thai.test(text) && /[\u0e30-\u0e4e]/.test(text) && !isMixed(text),
    frequent: /[\u0e01-\u0e4e]/g,
  },
  {
    encoding: "shift_jis",
    isLikely: (text) => isOnly(text, cjk),
    frequent: /[ぁ-ヿ日本年月名前金額資料画像]/g,
  },
  {
    encoding: "euc-jp",
    isLikely: (text) => isOnly(text, cjk) && hasKana(text),
    frequent: /[ぁ-ヿ日本年月名前金額資料画像]/g,
  },
  {
    encoding: "gb18030",
    isLikely: (text, bytes) =>
      isOnly(text, cjk) && isUsual(bytes, /[\xb0-\xd7][\xa1-\xfe]|[\xa1-\xa3][\xa1-\xfe]/),
    frequent:
      /[的一是不了在人有我他这中大来上国个到说们为子和你地出道也时年好文件名图片新建资料表报告测试数据金额]/g,
  },
  {
    encoding: "big5",
    isLikely: (text, bytes) =>
      isOnly(text, cjk) && isUsual(bytes, /[\xa4-\xc6][\x40-\x7e\xa1-\xfe]|[\xa1-\xa3][\x40-\x7e\xa1-\xfe]/),
    frequent:
      /[的一是不了在人有我他這中大來上國個到說們為子和你地出道也時年好文件名圖片新建資料表報告測試數據金額]/g,
  },
  {
    encoding: "euc-kr",
    isLikely: (text) => isOnly(text, hangul),
    frequent: /[이다는의에을를가은로하고한도지서기사자요안세니습름액폴더진보]/g,
  },
  ...(
    [
      ["windows-1251", "Cyrillic", /[аеиностр]/gi],
      ["koi8-r", "Cyrillic", /[аеиностр]/gi],
      ["ibm866", "Cyrillic", /[аеиностр]/gi],
      ["iso-8859-5", "Cyrillic", /[аеиностр]/gi],
      ["windows-1253", "Greek", /[αάοόιίηήεέτσςνρκλ]/gi],
      ["windows-1255", "Hebrew", /[יוהלאתמש]/g],
      ["windows-1256", "Arabic", /[اليمنورب]/g],
    ] as const
  ).map(([encoding, script, frequent]) => ({
    encoding,
    isLikely: (text: string) => hasWords(text, script),
    frequent,
  })),
];

/** Letters of Europe among those of ASCII, which the code pages of zips have at other places. */
const latinCandidates: Candidate[] = [
  ...["windows-1250", "macintosh"].map((encoding) => ({
    encoding,
    isLikely: (text: string, bytes: Uint8Array) => isAccented(text) && isOddInWesternEurope(bytes),
    frequent: /[ěščřžýáíéůąęłńóśźżäöüßèàç]/gi,
  })),
  {
    encoding: "windows-1254",
    isLikely: (text) => turkish.test(text) && !western.test(text),
    frequent: /[ğışöüç]/gi,
  },
];

/** By its name in the Encoding Standard; null if nothing is likely. @param isLatin whether it may be Latin */
export function likelyEncoding(bytes: Uint8Array, isLatin: boolean): string | null {
  const likely = [...candidates, ...(isLatin ? latinCandidates : [])].flatMap(
    ({ encoding, isLikely, frequent }) => {
      const text = decode(bytes, encoding);
      if (text === null || !isLikely(text, bytes)) return [];
      const signs = text.match(/\P{ASCII}/gu)?.length ?? 0;
      return signs === 0 ? [] : [{ encoding, share: (text.match(frequent)?.length ?? 0) / signs }];
    },
  );
  return likely.toSorted((a, b) => b.share - a.share)[0]?.encoding ?? null;
}

function decode(bytes: Uint8Array, encoding: string): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return null;
  }
}

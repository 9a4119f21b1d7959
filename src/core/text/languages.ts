/**
 * The languages that recall stems in addition to English, and a guess of the language of a text. The guess
 * counts words that are typical of a language, so it is deterministic and costs one lookup per word.
 */
import { lazy } from "../lib/lazy.ts";

export interface Language {
  /** ISO 639-1. */
  code: string;
  /** Stems a word in lower case, with its accents. */
  stem(word: string): string;
  /** Words too frequent to distinguish texts. */
  stopWords: ReadonlySet<string>;
  /** Letters and endings that English words do not have. */
  typical: RegExp;
}

/** A stemmer builds its tables when it is loaded: all of them take 6 ms of CPU (`bun run bench help`). */
function stemmerOf(load: () => { stemmer: Language["stem"] }): Language["stem"] {
  const loaded = lazy(load);
  return (word) => loaded().stemmer(word);
}
const danish = stemmerOf(() => require("@orama/stemmers/danish"));
const dutch = stemmerOf(() => require("@orama/stemmers/dutch"));
const finnish = stemmerOf(() => require("@orama/stemmers/finnish"));
const french = stemmerOf(() => require("@orama/stemmers/french"));
const german = stemmerOf(() => require("@orama/stemmers/german"));
const italian = stemmerOf(() => require("@orama/stemmers/italian"));
const norwegian = stemmerOf(() => require("@orama/stemmers/norwegian"));
const portuguese = stemmerOf(() => require("@orama/stemmers/portuguese"));
const russian = stemmerOf(() => require("@orama/stemmers/russian"));
const spanish = stemmerOf(() => require("@orama/stemmers/spanish"));
const swedish = stemmerOf(() => require("@orama/stemmers/swedish"));

const language = (code: string, stem: Language["stem"], typical: RegExp, stopWords: string): Language => ({
  code,
  stem,
  typical,
  stopWords: new Set(stopWords.split(/\s+/)),
});

/** In the order of preference: the first one wins a tie. */
export const languages: readonly Language[] = [
  language(
    "de",
    german,
    /[äöüß]|(?:ung|ungen|heit|keit|keiten|lich|liche|lichen|isch|ische|ischen|schaft|ieren|iert)$/,
    `der das und ist nicht ein eine einen einem einer eines mit von vom für auf dem sich wird werden wurde
    wurden sind zu zum zur bei beim nach aus auch nur kein keine keinen wenn wie oder aber dass als dann
    noch durch über unter wir sie ihr ihre haben sein seine muss müssen kann können soll sollen darf dürfen
    statt ohne weil damit jede jeder jedes jetzt nie immer die den im in an am er es so hat war`,
  ),
  language(
    "fr",
    french,
    /[éèêëàâçîïôûùœ]|(?:eux|euse|euses|aient|erait|eront|issement)$/,
    `le les une du des et est sont dans sur avec pas ne que qui nous vous ils elles au aux ce cette ces son
    ses leur leurs mais donc plus sans sous par pour être sera doit doivent peut peuvent avant après chaque
    toujours jamais lors car comme été de la en on`,
  ),
  language(
    "es",
    spanish,
    /[ñ¿¡áíóú]|(?:cion|ciones|miento|mientos|idades|iendo|aron|ieron)$/,
    `el los las una del y es son en con sin por para pero porque cuando como más muy ya hay desde hasta sobre
    entre cada debe deben puede pueden ser está están fue fueron también siempre nunca después antes lo su
    sus esta este se nos de la como no`,
  ),
  language(
    "pt",
    portuguese,
    /[ãõ]|(?:ção|ções|dade|dades|agem|agens)$/,
    `os uma um da das dos na nas nos e é são em com sem por para mas porque quando como mais muito já há
    desde até sobre entre cada deve devem pode podem ser está estão foi foram também sempre nunca depois
    antes seu sua seus não ao aos pelo pela que de a o as no se`,
  ),
  language(
    "it",
    italian,
    /[àèìòù]|(?:zione|zioni|mente|menti|aggio|aggi)$/,
    `il lo gli una del della dello dei delle degli nel nella nei nelle e è sono con per ma perché quando come
    più molto già da dal dalla sul sulla tra ogni deve devono può possono essere stato stata anche sempre
    mai dopo prima suo sua non che di la le in da si se come`,
  ),
  language(
    "nl",
    dutch,
    /(?:heid|heden|elijk|elijke|baar|tje|tjes)$/,
    `het een en niet met voor van op zijn wordt worden werd werden bij naar uit ook maar geen als dan nog
    door over onder wij zij hun hebben heeft moet moeten kan kunnen zal zullen mag zonder omdat elke elk nu
    nooit altijd deze dit dat te de die in is was of we`,
  ),
  language(
    "sv",
    swedish,
    /[äöå]|(?:ningar|ningen|heten|heter|arna|erna|orna)$/,
    `och att det som en ett är inte för på av till med från den när eller också bara utan ska skall kan måste
    får vi ni deras har hade blir blev varje alltid aldrig efter innan under över om vid så då nu`,
  ),
  language(
    "no",
    norwegian,
    /[æøå]|(?:elser|heter|heten|ingene|ene)$/,
    `og det som en et er ikke på av til med fra når eller også bare uten skal kan må vi dere deres har hadde
    blir ble hver alltid aldri etter før under over om ved så da nå hvis fordi etter`,
  ),
  language(
    "da",
    danish,
    /[æøå]|(?:elser|heder|heden|ingerne|erne)$/,
    `og det som en et er ikke på af til med fra når eller også kun uden skal kan må vi deres har havde bliver
    blev hver altid aldrig efter før under over om ved så da nu hvis fordi`,
  ),
  language(
    "fi",
    finnish,
    /[äö]|(?:ssa|ssä|stä|llä|lle|mme|vat|vät|minen|iset|ista)$/,
    `ja ei on se että ovat mutta kun jos tai myös vain ilman pitää voi voivat täytyy joka jotka tämä nämä ne
    niin kuin sekä mukaan ennen jälkeen aina koskaan ole olla oli olivat kaikki vielä nyt`,
  ),
  language(
    "ru",
    russian,
    /\p{Script=Cyrillic}/u,
    `и в не на что с по как это для из к от до при без или но а мы он она они его их быть был была были будет
    только если когда чтобы так же уже еще ещё все всё после перед через под над за о об у ли каждый нужно
    должен можно`,
  ),
];

/** Bits of a word: which languages it is typical of, and which it is a stop word of, by their order. */
export interface LanguageBits {
  /** The highest bit stands for English. */
  typicalOf: number;
  stopWordOf: number;
}

const englishBit = 1 << languages.length;

/** Words of several languages, often English and another: evidence for none. */
const sharedWords = new Set(
  `a am an as at be come con da dame dan de den di die do du due en est for had has her hers in is la le lo
  mais man me men no nu of ole on only or over par pas per plus pour sans se si so son sur te van war was we`.split(
    /\s+/,
  ),
);

/** @param word in lower case, with its accents; empty for identifiers, which are of no language */
export function languageBits(word: string, isEnglishStopWord: boolean): LanguageBits {
  const bits = { typicalOf: 0, stopWordOf: 0 };
  const isShared = sharedWords.has(word);
  if (isEnglishStopWord && !isShared) bits.typicalOf |= englishBit;
  if (word === "") return bits;
  for (const [index, { stopWords, typical }] of languages.entries()) {
    const isStopWord = stopWords.has(word);
    if (isStopWord) bits.stopWordOf |= 1 << index;
    if ((isStopWord && !isShared) || (word.length > 3 && typical.test(word))) bits.typicalOf |= 1 << index;
  }
  return bits;
}

/** Counts the words of a text that are typical of each language. */
export class LanguageEvidence {
  #english = 0;
  /** By the order of the languages; allocated for the first word that is typical of one. */
  #counts: number[] | undefined;

  /** @param typicalOf the bits of a word */
  add(typicalOf: number): void {
    if (typicalOf === englishBit) {
      this.#english++;
      return;
    }
    this.#counts ??= languages.map(() => 0);
    for (let bits = typicalOf & ~englishBit, index = 0; bits !== 0; bits >>= 1, index++)
      if (bits & 1) (this.#counts[index] as number)++;
  }

  /**
   * The language that more words are typical of than of English or any other; null for English, and without
   * evidence.
   */
  guess(): Language | null {
    if (!this.#counts) return null;
    const most = Math.max(...this.#counts);
    return most > this.#english ? (languages[this.#counts.indexOf(most)] as Language) : null;
  }

  /** Whether the text is more likely English than any other language; false without evidence. */
  isEnglish(): boolean {
    return this.#english > 0 && this.guess() === null;
  }
}

/** Whether a word is a stop word of a language. */
export const isStopWordOf = ({ stopWordOf }: LanguageBits, language: Language): boolean =>
  (stopWordOf & (1 << languages.indexOf(language))) !== 0;

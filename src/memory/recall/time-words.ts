/**
 * How languages name a time, as texts of regular expressions. Units are day, week, month, quarter, and year;
 * weekdays begin with Monday, months with January, and numbers with one.
 */
export interface TimeWords {
  /** Days by name, with how many days ago they are: "yesterday" is 1. */
  days: readonly [words: string, ago: number][];
  units: readonly string[];
  weekdays: readonly string[];
  months: readonly string[];
  numbers: readonly string[];
  /** Phrases of a number {n}, a unit {u}, a weekday {w}, a month {m}, its day {d}, and a year {y}. */
  ago: string;
  last: string;
  current: string;
  /** A span up to now: "the last 3 days". */
  recent: string;
  /** With a group `p` if it is that of the week before, whatever day it is today. */
  weekday: string;
  month: string;
  date: string;
  /** Whether words are written without spaces between them. */
  isUnspaced?: true;
}

const words = (text: string): string[] => text.split(" ");

const english: TimeWords = {
  days: [
    ["the day before yesterday", 2],
    ["yesterday|last night", 1],
    ["today|this morning|this afternoon|tonight", 0],
  ],
  units: words("days? weeks? months? quarters? years?"),
  weekdays: words("monday tuesday wednesday thursday friday saturday sunday"),
  months: words(
    "jan(?:uary)? feb(?:ruary)? mar(?:ch)? apr(?:il)? may june? july? aug(?:ust)? sep(?:t(?:ember)?)? " +
      "oct(?:ober)? nov(?:ember)? dec(?:ember)?",
  ),
  numbers: words("an?|one two three four five six seven eight nine ten"),
  ago: "{n} {u} ago",
  last: "(?:last|previous) {u}",
  current: "this {u}",
  recent: "(?:last|past|previous) {n} {u}|past {u}",
  weekday: "(?:last |on )?{w}",
  month: "(?:(?:in|during|of|since) {m}(?: {y})?|{m} {y})",
  date:
    "(?:on (?:the )?{d}(?:st|nd|rd|th)? (?:of )?{m}|{d}(?:st|nd|rd|th)? (?:of )?{m}(?! [a-z])|" +
    "{m} {d}(?:st|nd|rd|th)?)(?:,? {y})?",
};

const german: TimeWords = {
  days: [
    ["vorgestern", 2],
    ["gestern|letzte nacht", 1],
    ["heute(?: (?:früh|morgen|vormittag))?", 0],
  ],
  units: words("tag(?:e[ns]?)? wochen? monat(?:e[ns]?)? quartale?n? jahr(?:e[ns]?)?"),
  weekdays: words("montag dienstag mittwoch donnerstag freitag samstag|sonnabend sonntag"),
  months: words("januar februar märz april mai juni juli august september oktober november dezember"),
  numbers: words("eine[mnr]?|ein zwei drei vier fünf sechs sieben acht neun zehn"),
  ago: "vor {n} {u}",
  last: "(?:letzte|vorige|vergangene)[nsmr]? {u}",
  current: "diese[nsmr]? {u}",
  recent: "(?:letzten|vergangenen) {n} {u}",
  weekday: "(?:(?:am |letzte[nrm]? |vergangene[nrm]? |vorige[nrm]? ))?{w}",
  month: "(?:(?:im|seit|vom) {m}(?: {y})?|{m} {y})",
  date: "{d}\\.? {m}(?: {y})?",
};

const french: TimeWords = {
  days: [
    ["avant[- ]hier", 2],
    ["(?<!(?:ist|war|was|wird|wurde|sind) )hier(?: soir)?|la nuit dernière", 1],
    ["aujourd['’]hui|ce matin", 0],
  ],
  units: words("jours? semaines? mois trimestres? (?:ans?|années?)"),
  weekdays: words("lundi mardi mercredi jeudi vendredi samedi dimanche"),
  months: words("janvier février mars avril mai juin juillet août septembre octobre novembre décembre"),
  numbers: words("une? deux trois quatre cinq six sept huit neuf dix"),
  ago: "il y a {n} {u}",
  last: "{u} (?:derni(?:er|ère)|passée?|précédente?)",
  current: "(?:ce|cet|cette) {u}",
  recent: "{n} (?:dernier|dernière)s {u}",
  weekday: "{w}(?: (?:dernier|passé))?",
  month: "(?:(?:en|depuis|de|d['’]) ?{m}(?: {y})?|{m} {y})",
  date: "{d}(?:er)? {m}(?: {y})?",
};

const spanish: TimeWords = {
  days: [
    ["anteayer|antier|antes de ayer", 2],
    ["ayer|anoche", 1],
    ["hoy|esta mañana", 0],
  ],
  units: words("días? semanas? mes(?:es)? trimestres? años?"),
  weekdays: words("lunes martes miércoles jueves viernes sábado domingo"),
  months: words("enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"),
  numbers: words("una?|un dos tres cuatro cinco seis siete ocho nueve diez"),
  ago: "hace {n} {u}",
  last: "(?:{u} pasad[oa]|últim[oa] {u})",
  current: "est[ea] {u}",
  recent: "últim[oa]s {n} {u}",
  weekday: "(?:el )?{w}(?: pasado)?",
  month: "(?:(?:en|desde|de) {m}(?: (?:de )?{y})?|{m} (?:de )?{y})",
  date: "{d} de {m}(?: de {y})?",
};

const italian: TimeWords = {
  days: [
    ["l['’]altro ieri|ieri l['’]altro|avantieri", 2],
    ["ieri|stanotte", 1],
    ["oggi|stamattina", 0],
  ],
  units: words("giorn[oi] settiman[ae] mes[ei] trimestr[ei] ann[oi]"),
  weekdays: words("lunedì martedì mercoledì giovedì venerdì sabato domenica"),
  months: words(
    "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
  ),
  numbers: words("una?|un due tre quattro cinque sei sette otto nove dieci"),
  ago: "{n} {u} fa",
  last: "(?:{u} scors[oa]|(?:scors[oa]|ultim[oa]) {u})",
  current: "quest[oa] {u}",
  recent: "ultim[ie] {n} {u}",
  weekday: "{w}(?: scors[oa])?",
  month: "(?:(?:a|in|da) {m}(?: {y})?|{m} {y})",
  date: "{d} {m}(?: {y})?",
};

const portuguese: TimeWords = {
  days: [
    ["anteontem", 2],
    ["ontem", 1],
    ["hoje|esta manhã", 0],
  ],
  units: words("dias? semanas? m[eê]s(?:es)? trimestres? anos?"),
  weekdays: words("segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado domingo"),
  months: words("janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro"),
  numbers: words("uma?|um dois|duas três quatro cinco seis sete oito nove dez"),
  ago: "há {n} {u}",
  last: "(?:{u} passad[oa]|últim[oa] {u})",
  current: "est[ea] {u}",
  recent: "últim[oa]s {n} {u}",
  weekday: "(?:n[ao] )?{w}(?: passad[oa])?",
  month: "(?:(?:em|desde|de) {m}(?: (?:de )?{y})?|{m} (?:de )?{y})",
  date: "{d} de {m}(?: de {y})?",
};

const dutch: TimeWords = {
  days: [
    ["eergisteren", 2],
    ["gisteren|vannacht", 1],
    ["vandaag|vanochtend", 0],
  ],
  units: words("dag(?:en)? we(?:ek|ken) maand(?:en)? kwarta(?:al|len) ja(?:ar|ren)"),
  weekdays: words("maandag dinsdag woensdag donderdag vrijdag zaterdag zondag"),
  months: words("januari februari maart april mei juni juli augustus september oktober november december"),
  numbers: words("een twee drie vier vijf zes zeven acht negen tien"),
  ago: "{n} {u} geleden",
  last: "(?:vorige|afgelopen) {u}",
  current: "(?:deze|dit) {u}",
  recent: "(?:laatste|afgelopen) {n} {u}",
  weekday: "(?:op |vorige |afgelopen )?{w}",
  month: "(?:(?:in|sinds) {m}(?: {y})?|{m} {y})",
  date: "{d} {m}(?: {y})?",
};

const russian: TimeWords = {
  days: [
    ["позавчера", 2],
    ["вчера(?:шн\\p{L}+)?", 1],
    ["сегодня", 0],
  ],
  units: words("д(?:ень|ня|ней) недел[юяьие]|неделе месяц(?:а|ев|е)? квартал(?:а|ов|е)? год(?:а|у)?|лет"),
  weekdays: words("понедельник вторник сред[уа] четверг пятниц[уа] суббот[уа] воскресень[ея]"),
  months: words(
    "январ[ьяе] феврал[ьяе] март[ае]? апрел[ьяе] ма[йея] июн[ьяе] июл[ьяе] август[ае]? сентябр[ьяе] " +
      "октябр[ьяе] ноябр[ьяе] декабр[ьяе]",
  ),
  numbers: words("од(?:ин|ну) дв[ае] три четыре пять шесть семь восемь девять десять"),
  ago: "{n} {u} назад",
  last: "прошл(?:ой|ый|ом|ая|ую|ого) {u}",
  current: "эт(?:ой|от|ом|а|у|ого) {u}",
  recent: "последни[ех] {n} {u}",
  weekday: "(?:во? )?(?:прошл(?:ый|ую|ое) )?{w}",
  month: "(?:в {m}(?: {y})?|{m} {y})",
  date: "{d} {m}(?: {y})?",
};

/** Words without spaces need no words around them. */
const chinese: TimeWords = {
  days: [
    ["大前天", 3],
    ["前天", 2],
    ["昨天|昨晚|(?<!一)昨日", 1],
    ["今天|今早|今日", 0],
  ],
  units: words("天|日 周|週|星期|礼拜 个?月|個月 季度|季 年"),
  weekdays: words("一 二 三 四 五 六 日|天").map((day) => `(?:星期|周|週|礼拜)(?:${day})`),
  months: words("一 二 三 四 五 六 七 八 九 十(?![一二]) 十一 十二").map(
    (name, at) => `(?:${name}|${at + 1})月`,
  ),
  numbers: words("一 二|两|兩 三 四 五 六 七 八 九 十"),
  ago: "{n}个?{u}前",
  last: "上(?:一|个|個)?{u}|去{u}",
  current: "这(?:个|一)?{u}|這個?{u}|本{u}",
  recent: "(?:最近|过去|過去){n}个?{u}",
  weekday: "(?<![一两每])(?<p>上)?(?:个|個)?{w}",
  month: "(?:{y}年)?{m}",
  date: "(?:{y}年)?{m}{d}[日号號]",
  isUnspaced: true,
};

const japanese: TimeWords = {
  days: [
    ["一昨日|おととい", 2],
    ["昨日|昨夜|昨晩|きのう", 1],
    ["今日|今朝|本日|きょう", 0],
  ],
  units: words("日 週間?|週 (?:か|ヶ|カ)?月 四半期 年"),
  weekdays: words("月 火 水 木 金 土 日").map((day) => `${day}曜日?`),
  months: chinese.months,
  numbers: words("一 二 三 四 五 六 七 八 九 十"),
  ago: "{n}{u}前",
  last: "(?:先|前){u}|去年",
  current: "今{u}",
  recent: "(?:ここ|過去|直近){n}{u}間?",
  weekday: "(?:(?<p>先週の?)|前の)?{w}",
  month: "(?:{y}年)?{m}",
  date: "(?:{y}年)?{m}{d}日",
  isUnspaced: true,
};

const korean: TimeWords = {
  days: [
    ["사흘 ?전", 3],
    ["그저께|그제|이틀 ?전", 2],
    ["어제|어젯밤", 1],
    ["오늘", 0],
  ],
  units: words("일 주일?|주 개월|달|월 분기 년|해"),
  weekdays: words("월 화 수 목 금 토 일").map((day) => `${day}요일`),
  months: Array.from({ length: 12 }, (_, at) => `${at + 1}월`),
  numbers: words("한|일 두|이 세|삼 네|사 다섯|오 여섯|육 일곱|칠 여덟|팔 아홉|구 열|십"),
  ago: "{n} ?{u} ?전",
  last: "(?:지난|저번) ?{u}",
  current: "이번 ?{u}",
  recent: "(?:최근|지난) ?{n} ?{u}",
  weekday: "(?:(?<p>지난 ?주 ?)|지난 ?)?{w}",
  month: "(?:{y}년 ?)?{m}",
  date: "(?:{y}년 ?)?{m} ?{d}일",
  isUnspaced: true,
};

const swedish: [string, number][] = [
  ["i ?förrgår", 2],
  ["i ?går", 1],
  ["i ?dag", 0],
];

export const timeWords: readonly TimeWords[] = [
  ...[{ ...english, days: [...english.days, ...swedish] }, german, french, spanish, italian, portuguese],
  ...[dutch, russian, chinese, japanese, korean],
];

/** Words that name events by what became of them. */
export const outcomeWords = {
  failed:
    "fail(?:s|ed|ing|ures?)?|broke(?:n)?|errors?|crash(?:ed|es)?|fehler|fehlgeschlagen\\p{L}*|" +
    "gescheitert\\p{L}*|fehlschl[aä]ge?|abgebrochen|échecs?|échoué\\p{L}*|erreurs?|pannes?|errores?|" +
    "fall(?:os?|ó|aron|ado)|fal(?:has?|hou|haram)|erros?|fallit[oiae]|falliment[oi]|error[ei]|" +
    "mislukt\\p{L}*|fout(?:en)?|ошиб\\p{L}+|сбо[йия]\\p{L}*|упал\\p{L}*|сломал\\p{L}*|" +
    "失敗|エラー|障害|失败|错误|出错|故障|실패\\p{L}*|오류",
  merged:
    "merge(?:d|s)?|gemergt\\p{L}*|zusammengeführt|fusionn\\p{L}+|fusionad\\p{L}+|合并|合併|マージ|병합\\p{L}*",
} as const;

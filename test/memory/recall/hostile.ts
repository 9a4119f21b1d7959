/** Hostile queries, the same in every run. */

const pieces = [
  ..."\"'`*+-:^~!&|()[]{}<>@#$%_\\/,.;?=".split(""),
  ..."AND OR NOT NEAR NEAR(a,b) a<->b a:*A head:x body: rank rowid ^begin {head body}: 'a':1A".split(" "),
  ..."SELECT UNION -- /* */ ; '';drop table decisions;-- 0x41 NULL true \\x00 \\u0000 %s %n {x} {{x}}".split(
    " ",
  ),
  ..."(a+)+$ .* [^a]{9999} \\b(?=x)".split(" "),
  ..."🎉 👩\u200d👩\u200d👧\u200d👦 🏳️\u200d🌈 \u202egnp.exe\u2066 \u200fשלום مرحبا \u202e \u2066 \u200d \ufeff \u00ad \u{e0041}".split(
    " ",
  ),
  ..."数据库迁移 データベース 데이터베이스 ฐานข้อมูล ação naïve ﬀ ﷺ İstanbul ẞ ΑΒΓ \u0e33\u0e33".split(" "),
  ..."\0 \x07 \x1b[31m \x7f \u0085 \u2028 \ud800 \udc00 \ud83d".split(" "),
  ..."__proto__ constructor toString hasOwnProperty NaN Infinity -0 1e309 undefined".split(" "),
  ..."migrations webhook retry cache deploy-window fooBar foo_bar src/memory/recall.ts HTTPServer v2 #214".split(
    " ",
  ),
];

const long: (() => string)[] = [
  () => '"'.repeat(5_000),
  () => "'".repeat(5_000),
  () => "(".repeat(20_000),
  () => "x".repeat(20_000),
  () => "xY".repeat(10_000),
  () => "a_".repeat(10_000),
  () => "é".repeat(20_000),
  () => `e${"\u0301".repeat(20_000)}`,
  () => "漢".repeat(20_000),
  () => "🎉".repeat(10_000),
  () => "\ud800".repeat(10_000),
  () => "a ".repeat(20_000),
  () => Array.from({ length: 5_000 }, (_, index) => `word${index}`).join(" "),
  () =>
    Array.from(
      { length: 5_000 },
      (_, index) => `wrod${String.fromCharCode(97 + (index % 26)).repeat(4)}`,
    ).join(" "),
  () => "NOT ".repeat(5_000),
  () => "* ".repeat(5_000),
  () => "12345 ".repeat(4_000),
];

/** A small generator of its own, so that a failure can be repeated. */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x297a2d39) | 0;
    return (state >>> 1) % sides;
  };
}

export function* hostileQueries(count: number, seed = 1): Generator<string> {
  const roll = dice(seed);
  const piece = () => pieces[roll(pieces.length)] as string;
  for (let index = 0; index < count; index++) {
    const kind = roll(100);
    if (index < long.length) yield (long[index] as () => string)();
    else if (kind < 2) yield (long[roll(long.length)] as () => string)().slice(0, 1 + roll(20_000));
    else if (kind < 20)
      yield Array.from({ length: 1 + roll(40) }, () => String.fromCharCode(roll(0x1_0000))).join("");
    else if (kind < 30)
      yield Array.from({ length: 1 + roll(40) }, () => String.fromCharCode(32 + roll(96))).join("");
    else yield Array.from({ length: 1 + roll(12) }, piece).join(roll(3) === 0 ? "" : " ");
  }
}

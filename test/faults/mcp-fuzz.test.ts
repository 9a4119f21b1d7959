/** No argument makes a tool fail from the inside: hostile words, numbers and shapes, on both databases. */
import { describe, expect, test } from "bun:test";
import { toolOperations } from "../../src/api/operations/index.ts";
import { allScopes } from "../../src/core/auth/scopes.ts";
import { eras, type ToolAnswer, textOf, toolCall } from "../support/agents/mcp-clients.ts";
import { dialects, event, must, openApp } from "../support/harness.ts";
import { reached, times } from "./promises.ts";

const rounds = times("hostileArguments");

/** The same numbers in every run. */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
}

const signs =
  String.raw`" ' '' "" \ % _ * a* ^a -a -- /* ; () ( ) : a:b {a} [ + ~ | & ! :* a:* !! <2> AND OR NOT text:secret`.split(
    " ",
  );
const phrases = [
  "NEAR(a b, 2)",
  "a <-> b",
  "'a' & 'b'",
  "select 1; drop table events",
  "日本語の文",
  "ไทย",
  "שלום",
  "مرحبا بالعالم",
];
const odd = [
  "\0",
  "\u0001",
  "\n",
  "\r\n",
  "\u2028",
  "\ud800",
  "\udfff\ud800",
  "\ufeff",
  "\u202e",
  "\u{e0041}",
  "ｆｕｌｌ",
  "ß",
  "İ",
  "ﬀ",
  "a\u0301\u0301",
];
const long = [
  "x".repeat(20_000),
  "é".repeat(10_000),
  "ab ".repeat(5_000),
  '"'.repeat(5_000),
  "😀",
  "👩‍👩‍👧‍👦",
  "🏳️‍🌈",
];
const names =
  "fooBar foo_bar foo/bar.ts maps __proto__ constructor toString NaN null true 1e400 -0 ../../etc/passwd".split(
    " ",
  );
const words = [...signs, ...phrases, ...odd, ...long, ...names];

const shapes = [
  null,
  true,
  false,
  "",
  " ",
  [],
  {},
  [[]],
  [null],
  { a: 1 },
  { length: 5 },
  ["decision", "decision"],
  Array(100).fill("event"),
];
const numbers = [0, -1, 1, 1.5, 2 ** 31, 2 ** 53, -(2 ** 63), 1e308];
const instants = [
  "2026-02-30T00:00:00Z",
  "infinity",
  "now",
  "2026-01-01T00:00:00Z",
  "9999-12-31T23:59:59.999999999Z",
  "0000-01-01T00:00:00Z",
];
const values: unknown[] = [
  ...shapes,
  ...numbers,
  ...instants,
  "atlas",
  "ATLAS",
  "agent:codex",
  "human:",
  "run.started",
  "lane_a",
  "model-1",
];

describe.each(dialects)("on %s", (dialect) => {
  test(`${rounds} calls with hostile arguments are answered or refused, never broken`, async () => {
    await using app = await openApp(dialect);
    await app.ctx.data.atomically(async (writes) => {
      await writes.linkProject({ slug: "atlas", repo: "acme/atlas", lanes: ["lane_a"] }, 1);
      await writes.append(
        Array.from({ length: 20 }, (_, index) =>
          event({ project: "atlas", summary: `Run ${index}: fooBar maps` }),
        ),
      );
      await writes.addDecision({
        project: "atlas",
        text: "Use maps",
        source: "cli",
        source_ref: null,
        actor: "human:zoe",
        valid_from: 1,
      });
    });
    const token = await app.mint(allScopes);
    const roll = dice(20261120);
    const pick = <T>(list: readonly T[]): T => list[roll(list.length)] as T;
    const phrase = () =>
      Array.from({ length: 1 + roll(4) }, () => pick(words)).join(pick([" ", "", "\n", "."]));
    const likely: Record<string, unknown> = {
      project: "atlas",
      slug: "atlas",
      query: "maps",
      text: "Use globes",
      key: "k",
      value: "v",
      model: "model-1",
    };

    for (let round = 0; round < rounds; round++) {
      const { tool, input } = must(toolOperations[round % toolOperations.length]);
      const fields = Object.keys(input.properties);
      const broken = fields.length > 0 ? pick(fields) : "none";
      const args: Record<string, unknown> = Object.fromEntries(
        fields.filter((field) => field in likely).map((field) => [field, likely[field]]),
      );
      args[broken] = roll(3) === 0 ? pick(values) : phrase();
      const response = await app.ask("/mcp", { ...toolCall(must(eras[round % 2]), tool.name, args), token });
      const { result } = (await response.json()) as { result?: ToolAnswer };
      const where = `${tool.name} ${JSON.stringify(args).slice(0, 300)}`;
      if (!result) throw new Error(`${where} → ${response.status} without a result`);
      if (textOf(result).includes("Internal error. The server log"))
        throw new Error(`${where} → ${JSON.stringify(app.logged.at(-1))}`);
    }
    expect(app.logged.filter(({ level }) => level === "error")).toEqual([]);
    reached("hostileArguments", rounds);
  });
});

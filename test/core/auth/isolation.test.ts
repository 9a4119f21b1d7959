/**
 * Noninterference: what a caller limited to one project reads reveals nothing about the texts of other
 * projects. Two databases that differ only in those give it byte for byte the same answers to any query.
 */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { runTool } from "../../../src/api/mcp/tools/tools.ts";
import { operations, toolOperations } from "../../../src/api/operations/index.ts";
import { allScopes } from "../../../src/core/auth/scopes.ts";
import { makeId } from "../../../src/core/auth/session/cookie.ts";
import { generateToken, hashToken } from "../../../src/core/auth/token.ts";
import { dayMicros } from "../../../src/core/lib/time.ts";
import { recall } from "../../../src/memory/recall/recall.ts";
import type { RecallQuery } from "../../../src/memory/recall/schema.ts";
import { pageNames } from "../../../src/web/routes.ts";
import { dialects, event, must, scaled } from "../../support/harness.ts";
import { type Library, openLibrary } from "../../support/library.ts";
import { caller } from "../../support/memory/isolation.ts";
import { newWebhook } from "../../support/webhooks/webhook-rows.ts";

const asset = "01J9ZC5W8Q4T3M2N1K0H7G6F5D";
const hidden = "01J9ZC5W8Q4T3M2N1K0H7G6F5E";
const token = generateToken();
/** The same session in every database: forms contain values derived from its id. */
const session = makeId();
const cookie = `svc_session=${session}`;

/** The texts of one project, one for each kind of row with text. */
const kinds = [
  ...(["decision", "rejection", "note", "preference", "event", "title", "description"] as const),
  "event without project",
  "tag",
  "summary",
  "repo",
] as const;
type Texts = Record<(typeof kinds)[number], string>;

async function openFilled(
  dialect: (typeof dialects)[number],
  own: string[],
  others: Texts[],
): Promise<Library> {
  const library = await openLibrary(dialect, "disk");
  library.clock.set("2026-03-01T12:00:00Z");
  const { ctx } = library;
  const at = library.clock.now();
  const fields = { source: "cli", source_ref: null, actor: "human:zoe", valid_from: 1 };
  const [first] = others as [Texts];
  await ctx.data.atomically(async (writes) => {
    await writes.linkProject({ slug: "atlas", repo: "acme/atlas", summary: "Plans rounds" }, 1);
    await writes.linkProject({ slug: "beacon", repo: `acme/${first.repo}`, summary: first.summary }, 1);
    await writes.addWebhook(newWebhook(asset, { name: own.join(" "), owner: "limited", created_at: at }));
    await writes.addWebhook(newWebhook(hidden, { name: first.title, owner: null, created_at: at }));
    await writes.addToken({
      name: "limited",
      hash: hashToken(token),
      scopes: [...allScopes],
      projects: ["atlas"],
      created_at: 1,
      expires_at: null,
    });
    await writes.addSession({
      ...{
        hash: hashToken(session),
        actor: "human:limited",
        token: hashToken(token),
        from_link: false,
        created_with: null,
        ...{ email: null, identity: null, checked_at: null, device: null, used_at: at },
      },
      ...{ opened_at: at, expires_at: at + dayMicros },
    });
    await writes.saveModel({
      id: "m-1",
      provider: "a",
      lanes: [],
      onboarded_at: 1,
      refreshed_at: 1,
      guidance_count: 0,
      skill_count: 0,
    });
    await writes.saveGuidance(
      "m-1",
      "https://vendor.test",
      own.map((text) => ({ file: "a.md", path: ["Tides"], text })),
      1,
    );
    await writes.setPreference({ ...fields, project: null, key: "all", value: own.join(" ") });
    for (const text of own) await writes.addDecision({ ...fields, project: "atlas", text });
    await writes.addDecision({
      ...fields,
      project: "atlas",
      source: "review",
      source_ref: asset,
      text: own.join(" "),
    });
    await writes.append(
      own.map((summary) => event({ kind: "run.failed", project: "atlas", summary, ts: at, run_id: asset })),
    );
  });
  await library.plant({ id: asset, title: own.join(" "), set: "posters" });
  for (const [index, texts] of others.entries())
    await ctx.data.atomically(async (writes) => {
      const project = "beacon";
      await writes.addDecision({ ...fields, project, text: texts.decision });
      await writes.addDecision({
        ...fields,
        project,
        source: "review",
        source_ref: hidden,
        text: texts.rejection,
      });
      await writes.addNote({
        project,
        asset: hidden,
        title: texts.title,
        text: texts.note,
        actor: "human:zoe",
        valid_from: 1,
      });
      await writes.setPreference({ ...fields, project, key: `p${index}`, value: texts.preference });
      for (const of of [project, null])
        await writes.addBudget({
          ...{
            project: of,
            ...{ team: null, person: null, lane: null },
            model: `${index} ${texts.event}`,
            period: "month",
            amount: 1 + index,
          },
          ...{ since: "2026-03-01", changed_by: "human:zoe", changed_at: 1 },
        });
      await writes.append([
        event({ kind: "run.failed", project, summary: texts.event, ts: at, run_id: asset }),
        event({ kind: "run.failed", summary: texts["event without project"], ts: at }),
      ]);
    });
  await library.plant({
    id: hidden,
    project: "beacon",
    title: first.title,
    description: first.description,
    tags: [first.tag],
    set: "posters",
  });
  return library;
}

/** Everything that the caller can read with these words, by request. */
async function readingsOf({ ctx, ask }: Library, queries: string[]): Promise<[string, string][]> {
  const blanks: Record<string, string> = {
    ...{ name: "limited", slug: "atlas", id: asset },
    page: "mcp",
    issue: "7",
    task: "DRAW-7",
    pr: "7",
    kind: "file",
    set: "posters",
  };
  const filled = (path: string) =>
    path.replace(/\{(\w+)\}|:(\w+)/g, (_, one, other) => must(blanks[one ?? other]));
  const paths = [
    ...operations.flatMap(({ http }) =>
      http?.method === "GET" && !http.stream ? [`/api/v1${filled(http.path)}`] : [],
    ),
    ...Object.keys(pageNames).map(filled),
    ...queries.flatMap((query) =>
      ["/api/v1/search", "/search", "/web/search-results"].map(
        (path) => `${path}?query=${encodeURIComponent(query)}&limit=20`,
      ),
    ),
  ];
  const read: [string, string][] = [];
  for (const path of paths) {
    const headers = path.startsWith("/api/") ? { authorization: `Bearer ${token}` } : { cookie };
    const response = await ask(path, { headers });
    read.push([path, `${response.status} ${response.headers.get("etag")} ${await response.text()}`]);
  }
  const wanted: Record<string, unknown> = {
    ...{ project: "atlas", slug: "atlas", id: asset, ids: [asset], model: "m-1" },
    ...{ max_chars: 2_000, timeout_s: 0 },
  };
  for (const op of toolOperations.filter(({ writes }) => !writes))
    for (const query of "query" in op.input.properties || "intent" in op.input.properties ? queries : [""])
      for (const isOfOne of [true, false]) {
        const args = { ...wanted, query, intent: query, limit: 20 };
        // What is named by ids cannot be named by a project as well.
        const isByIds = "ids" in op.input.properties;
        const given = Object.entries(args).filter(
          ([name]) =>
            name in op.input.properties &&
            (name !== "project" || (isOfOne && !isByIds) || op.input.required?.includes(name)),
        );
        const { text, value } = await runTool(ctx, caller, op, Object.fromEntries(given));
        read.push([`${op.tool.name} ${isOfOne} ${query}`, `${text} ${JSON.stringify(value)}`]);
      }
  return read;
}

describe.each(dialects)("a caller limited to one project, on %s", (dialect) => {
  test(
    "reads the same bytes whatever the texts of other projects are",
    async () => {
      const word = fc.constantFrom(
        "tide",
        "tidal",
        "tides",
        "harbor",
        "harbour",
        "harbr",
        "walrus",
        "wallrus",
        "retried",
        "fetchWithRetry",
        "deploy",
        "deplyo",
        "open",
        "oven",
      );
      const line = fc.array(word, { minLength: 1, maxLength: 5 }).map((words) => words.join(" "));
      const texts = fc.record(
        Object.fromEntries(kinds.map((kind) => [kind, kind === "repo" || kind === "tag" ? word : line])),
      ) as fc.Arbitrary<Texts>;
      const others = fc.array(fc.tuple(texts, texts), { minLength: 1, maxLength: 4 });
      const own = fc.array(line, { minLength: 1, maxLength: 4 });
      const queries = fc.array(
        fc.oneof(line, fc.constantFrom("harbo", "walr", "wallru", "depl", "authentcation")),
        {
          minLength: 2,
          maxLength: 2,
        },
      );
      await fc.assert(
        fc.asyncProperty(own, others, queries, async (own, others, queries) => {
          await using one = await openFilled(
            dialect,
            own,
            others.map(([texts]) => texts),
          );
          await using other = await openFilled(
            dialect,
            own,
            others.map(([, texts]) => texts),
          );
          expect(await readingsOf(other, queries)).toEqual(await readingsOf(one, queries));
        }),
        { numRuns: scaled(1, 100), endOnFailure: true },
      );
    },
    scaled(180_000, 1_800_000),
  );

  test("finds the same among more texts of other projects than are counted, compared or corrected from", async () => {
    const own = Array.from(
      { length: 400 },
      (_, index) => `The walrus ${index} ${"sleeps ".repeat(index % 7)}${index % 3 ? "in the harbor" : ""}`,
    );
    const fill = async (words: string[]) => {
      const library = await openLibrary(dialect, "disk");
      library.clock.set("2026-03-01T12:00:00Z");
      const { data } = library.ctx;
      await data.atomically((writes) => writes.linkProject({ slug: "beacon", repo: "acme/beacon" }, 1));
      const tell = (project: string, summaries: string[]) =>
        data.append(summaries.map((summary) => event({ kind: "run.failed", project, summary })));
      for (let index = 0; index < 4; index++) {
        await tell("atlas", own.slice(index * 100, index * 100 + 100));
        await tell(
          "beacon",
          Array.from({ length: 1_500 }, (_, at) => must(words[(index * 1_500 + at) % words.length])),
        );
      }
      return library;
    };
    const near = Array.from(
      { length: 700 },
      (_, index) => `walru${String.fromCharCode(97 + (index % 26), 97 + ((index / 26) % 26))} harbor`,
    );
    await using one = await fill(["walrus harbor", "harbor harbor walrus", "sleeps"]);
    await using other = await fill(near);
    for (const library of [one, other])
      await library.ctx.data.atomically((writes) =>
        writes.linkProject({ slug: "atlas", repo: "acme/atlas" }, 1),
      );
    for (const query of [
      "walrus",
      "walrus harbor",
      "walris",
      "walrs sleeping",
      "walr",
      "walris 7",
      "the walrus of the harbor 7",
    ]) {
      const hits = async ({ ctx }: Library, options: Partial<RecallQuery> = {}) =>
        recall(ctx, { query, limit: 50, ...options }, caller);
      expect(await hits(other)).toEqual(await hits(one));
      // only `walris` has no known word
      expect((await hits(one, { project: "atlas" })).count > 0).toBe(query !== "walris");
    }
  });
});

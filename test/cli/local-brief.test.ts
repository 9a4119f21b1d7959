/** `svc brief` on a local file reads what a brief needs, and leaves everything else to the whole service. */

import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { dirname, join, normalize } from "node:path";
import { localBrief } from "../../cli/local-brief.ts";
import { type OpenContext, openContext } from "../../cli/open.ts";
import { fillDemo } from "../../db/demo.ts";
import { adminCaller } from "../../src/core/auth/caller.ts";
import { brief } from "../../src/overview/brief/brief.ts";
import type { BriefQuery } from "../../src/overview/brief/schema.ts";
import { lanes, slugs } from "../support/demo.ts";
import { event, temporaryFolder } from "../support/harness.ts";
import { sources } from "../support/sources.ts";

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let ctx: OpenContext;
beforeAll(async () => {
  folder = await temporaryFolder();
  ctx = await openContext({ SVC_DATA_DIR: folder.path }, { create: true });
  const decision = { project: "atlas", source: "cli", source_ref: null, actor: "human:zoe" };
  await ctx.data.atomically(async (writes) => {
    await writes.linkProject({ slug: "atlas", repo: "acme/atlas", check_cmd: "bun test" }, ctx.now());
    await writes.addDecision({ ...decision, text: "Webhooks retry five times", valid_from: ctx.now() });
    await writes.addDecision({
      ...{ ...decision, source: "review", source_ref: "asset-1" },
      ...{ text: "Too dark", valid_from: ctx.now() },
    });
    await writes.setPreference({ ...decision, key: "style", value: "plain", valid_from: ctx.now() });
    await writes.append([
      event({ project: "atlas", kind: "run.started", run_id: "r-1", issue: 7 }),
      event({ project: "atlas", kind: "run.failed", run_id: "r-2", issue: 7, summary: "It failed" }),
    ]);
  });
});
afterAll(async () => {
  await ctx.close();
  await folder.close();
});

const local = (query: Omit<BriefQuery, "project">, dataDir = folder.path) =>
  localBrief(dataDir, async (list) => ({ ...query, project: (await list())[0]?.slug ?? "" }));
const derive = () => ctx.data.usage("atlas", "2020-01-01");

test.each([{}, { intent: "retry webhooks" }, { issue: 7 }, { max_chars: 800 }])(
  "it is the brief that the service compiles: %p",
  async (query) => {
    await derive();
    const whole = await brief(ctx, { project: "atlas", ...query }, adminCaller);
    expect(whole.text).toContain("Too dark");
    expect(await local(query)).toEqual(whole);
  },
);

test("it is that brief for a team that uses every source, too", async () => {
  const month = await temporaryFolder();
  const team = await openContext({ SVC_DATA_DIR: month.path }, { create: true });
  await fillDemo(team.data, { now: team.now(), lanes });
  for (const project of slugs) {
    const whole = await brief(team, { project }, adminCaller);
    expect(Object.keys(whole.included).length).toBeGreaterThan(3);
    expect(await localBrief(month.path, async () => ({ project }))).toEqual(whole);
  }
  await team.close();
  await month.close();
});

test("a search of events that are not indexed yet is left to the whole service", async () => {
  await ctx.data.append([event({ project: "atlas", kind: "run.started", run_id: "r-3" })]);
  expect(await local({ intent: "retry webhooks" })).toBeNull();
  expect(await local({})).not.toBeNull();
  await derive();
  expect(await local({ intent: "retry webhooks" })).not.toBeNull();
});

test("a file that a migration has to change, a missing one, and an unknown project are, too", async () => {
  const copy = join(folder.path, "older");
  await Bun.write(join(copy, "svc.db"), "");
  const database = new Database(join(copy, "svc.db"));
  const rows = "select name, applied_at from schema_migrations";
  database.exec(`attach '${join(folder.path, "svc.db")}' as whole`);
  database.exec(`create table schema_migrations as select * from (${rows.replace("from ", "from whole.")})`);
  database.exec("delete from schema_migrations where name = (select max(name) from schema_migrations)");
  database.close();
  expect(await local({}, copy)).toBeNull();
  expect(await local({}, join(folder.path, "nowhere"))).toBeNull();
  expect(await localBrief(folder.path, async () => ({ project: "nobody" }))).toBeNull();
});

test.each(["brief", "recall"])(
  "svc %s loads neither the API, the website, nor streams of Node",
  (command) => {
    const loaded = new Set<string>();
    const transpiler = new Bun.Transpiler({ loader: "ts" });
    const texts = new Map(sources.map(({ path, text }) => [path, text]));
    const load = (path: string): void => {
      const text = texts.get(path);
      if (loaded.has(path) || text === undefined) return void loaded.add(path);
      loaded.add(path);
      for (const { kind, path: to } of transpiler.scanImports(text))
        if (kind === "import-statement") load(to.startsWith(".") ? normalize(join(dirname(path), to)) : to);
    };
    load("cli/run-command.ts");
    load(`cli/commands/memory/${command}.ts`);
    load(`cli/local-${command}.ts`);
    expect(
      [...loaded].filter((path) => /^(src\/(api|web)\/|elysia|@modelcontextprotocol|@aws)/.test(path)),
    ).toEqual([]);
    // What these load takes 4 to 15 ms of CPU (`bun run bench help`); consola/utils imports node:tty.
    expect(
      [...loaded].filter((path) => /^(consola|@orama|ipaddr|node:(tty|net|crypto|zlib|stream)$)/.test(path)),
    ).toEqual([]);
    expect([...loaded].filter((path) => /^drizzle-orm\/(pg|bun-sql$)/.test(path))).toEqual([]);
    expect(loaded).toContain("db/local-reads.ts");
  },
);

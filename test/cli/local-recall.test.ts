/** `svc recall` on a local file reads what a search needs, and leaves everything else to the whole service. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { localRecall } from "../../cli/local-recall.ts";
import { type OpenContext, openContext } from "../../cli/open.ts";
import { fillDemo } from "../../db/demo.ts";
import { adminCaller } from "../../src/core/auth/caller.ts";
import { recall } from "../../src/memory/recall/recall.ts";
import type { RecallQuery } from "../../src/memory/recall/schema.ts";
import { lanes, slugs } from "../support/demo.ts";
import { event, temporaryFolder } from "../support/harness.ts";

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let ctx: OpenContext;
beforeAll(async () => {
  folder = await temporaryFolder();
  ctx = await openContext({ SVC_DATA_DIR: folder.path }, { create: true });
  await fillDemo(ctx.data, { now: ctx.now(), lanes });
  await derive();
});
afterAll(async () => {
  await ctx.close();
  await folder.close();
});

const derive = () => ctx.data.usage(slugs[0] as string, "2020-01-01");
const local = (query: RecallQuery) => localRecall(folder.path, query);
/** The score of a hit changes with the time of the search. */
const told = (found: Awaited<ReturnType<typeof local>>) => found?.hits.map(({ score: _, ...hit }) => hit);

test.each<RecallQuery>([
  { query: "fix battery" },
  { query: "prices in cnets", project: "harbor" },
  { query: "what was merged last week", limit: 3 },
  { query: "prices", kinds: ["decision"] },
  { query: "zzzz" },
])("it finds what the service finds: %p", async (query) => {
  const whole = await recall(ctx, query, adminCaller);
  expect(whole.count > 0).toBe(query.query !== "zzzz");
  expect(told(await local(query))).toEqual(told(whole) as never);
});

test("events that are not indexed yet and an unknown project are left to the whole service", async () => {
  await ctx.data.append([event({ project: slugs[0] as string, kind: "run.started", run_id: "r-3" })]);
  expect(await local({ query: "battery" })).toBeNull();
  await derive();
  expect(await local({ query: "battery" })).not.toBeNull();
  expect(await local({ query: "battery", project: "nobody" })).toBeNull();
  expect(await localRecall(join(folder.path, "nowhere"), { query: "battery" })).toBeNull();
});

/** Rejections go back to the forge they came from, exactly once, and a token only to its own host. */
import { describe, expect, test } from "bun:test";
import { secondMicros } from "../../../src/core/lib/time.ts";
import { deliverOutbox } from "../../../src/integrations/outbox/outbox.ts";
import {
  type FakeForge,
  type ForgeApi,
  fakes,
  forgeToken,
  startForgeApi,
} from "../../support/forges/forge-apis.ts";
import { dialects, rowsOf } from "../../support/harness.ts";
import { type Library, openLibrary } from "../../support/library.ts";

type Planted = Parameters<Library["plant"]>[0];

/** A library whose project is on the forge, with the API of that forge configured. */
async function openOn(dialect: (typeof dialects)[number], forge: FakeForge, api: ForgeApi): Promise<Library> {
  const name = `SVC_${forge.toUpperCase()}`;
  const library = await openLibrary(dialect, "disk", {
    [`${name}_TOKEN`]: forgeToken,
    [`${name}_API_URL`]: api.url,
    SVC_GITHUB_TOKEN: "",
  });
  await link(library, forge, api.host);
  return library;
}

const link = ({ ctx: { data } }: Library, forge: FakeForge, host: string) =>
  data.atomically((writes) =>
    writes.linkProject({ slug: "atlas", forge, host, repo: fakes[forge].repo }, 1_000_000),
  );

async function reject(library: Library, fields: Planted): Promise<string> {
  const { id } = await library.plant(fields);
  const { status } = await library.review(id, {
    decision: "rejected",
    note: "Cut off, @maria.",
    by: "human:zoe",
  });
  expect(status).toBe(200);
  return id;
}

const deliver = ({ ctx }: Library, deadlineMs = 5_000) => deliverOutbox(ctx, deadlineMs);

const cases = dialects.flatMap((dialect) =>
  (Object.keys(fakes) as FakeForge[]).map((forge) => [dialect, forge] as const),
);

describe.each(cases)("a rejection on %s and %s", (dialect, forge) => {
  const { closed, open } = fakes[forge];

  test("is posted to the issue, which is reopened, and to the pull request rather than the issue", async () => {
    await using api = startForgeApi(forge);
    const library = await openOn(dialect, forge, api);
    const issue = api.task("issues 12", { state: closed });
    const pull = api.task("pulls 34");
    const id = await reject(library, { issue: 12, title: "Landing page" });
    expect(await deliver(library)).toBe(1);
    expect([issue.state, issue.comments.length, pull.comments.length]).toEqual([open, 1, 0]);
    expect(issue.comments[0]).toStartWith(
      "**Landing page** (version 1) was rejected by human:zoe:\n\n> Cut off, @\u200b",
    );
    expect(issue.comments[0]).toContain(`/assets/${id}`);
    await reject(library, { issue: 12, pr: 34 });
    expect(await deliver(library)).toBe(1);
    expect([issue.comments.length, pull.comments.length]).toEqual([1, 1]);
    await library.close();
  });

  test("is not posted again if the response was lost, behind 250 other comments", async () => {
    await using api = startForgeApi(forge);
    const library = await openOn(dialect, forge, api);
    const comments = Array.from({ length: 250 }, (_, index) => `comment ${index}`);
    const issue = api.task("issues 12", { state: closed, comments });
    await reject(library, { issue: 12 });
    api.loseNextPost();
    expect(await deliver(library, 300)).toBe(0);
    expect([issue.comments.length, issue.state]).toEqual([251, closed]);
    library.clock.advance(secondMicros);
    expect(await deliver(library)).toBe(1);
    expect([issue.comments.length, issue.state]).toEqual([251, open]);
    await library.close();
  });

  test("of a merged pull request is posted without reopening it", async () => {
    await using api = startForgeApi(forge);
    const library = await openOn(dialect, forge, api);
    const pull = api.task("pulls 34", { state: "merged" });
    await reject(library, { pr: 34 });
    expect(await deliver(library)).toBe(1);
    expect([pull.state, pull.comments.length]).toEqual(["merged", 1]);
    await library.close();
  });

  test("is retried after an error, and given up at once if the issue was deleted", async () => {
    await using api = startForgeApi(forge);
    const library = await openOn(dialect, forge, api);
    api.task("issues 12");
    for (const [status, settled] of [
      [503, 0],
      [410, 1],
    ] as const) {
      await reject(library, { issue: 12 });
      api.failOnce(status);
      expect([status, await deliver(library)]).toEqual([status, settled]);
      library.clock.advance(secondMicros);
      await deliver(library);
    }
    expect(JSON.stringify(library.logged)).not.toContain(forgeToken);
    expect(await rowsOf(library.url, "select * from outbox")).toEqual([]);
    await library.close();
  });

  test("of a project on another host is not queued: the token belongs to the configured one", async () => {
    await using api = startForgeApi(forge);
    const library = await openOn(dialect, forge, api);
    await reject(library, { issue: 12 });
    await link(library, forge, "internal.example");
    await reject(library, { issue: 13 });
    expect(await rowsOf(library.url, "select host from outbox")).toEqual([{ host: api.host }]);
    await rowsOf(library.url, "update outbox set host = 'internal.example'");
    expect(await deliver(library)).toBe(0);
    expect(api.requests).toEqual([]);
    await library.close();
  });
});

/** A comment that GitHub did not accept is retried, and given up after three days. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { openData } from "../../../db/open.ts";
import type { Context } from "../../../src/api/context.ts";
import { dayMicros, secondMicros } from "../../../src/core/lib/time.ts";
import { deliverOutbox } from "../../../src/integrations/outbox/outbox.ts";
import { type GithubApi, githubToken, startGithubApi } from "../../support/forges/github-api.ts";
import {
  dialects,
  link,
  migratedDatabase,
  must,
  programToken,
  rowsOf,
  startServer,
  temporaryFolder,
  until,
} from "../../support/harness.ts";
import { type Library, openLibrary } from "../../support/library.ts";

describe.each(dialects)("a rejection on %s", (dialect) => {
  let api: GithubApi;
  let library: Library;
  beforeAll(async () => {
    api = startGithubApi();
    library = await openLibrary(dialect, "disk", {
      SVC_GITHUB_TOKEN: githubToken,
      SVC_GITHUB_API_URL: api.url,
    });
  });
  beforeEach(async () => {
    api.reset();
    library.logged.length = 0;
    await rowsOf(library.url, "delete from outbox");
  });
  afterAll(async () => {
    await library.close();
    await api[Symbol.asyncDispose]();
  });

  const deliver = (ctx: Context = library.ctx, deadlineMs = 5_000) => deliverOutbox(ctx, deadlineMs);
  const waiting = () => rowsOf(library.url, "select * from outbox order by id");
  const reject = async (
    fields: Parameters<Library["plant"]>[0] = { issue: 12 },
    note = "The logo is cut off.",
  ) => {
    const { id } = await library.plant(fields);
    const { status } = await library.review(id, { decision: "rejected", note, by: "human:zoe" });
    expect(status).toBe(200);
    return id;
  };

  test("is retried after one second, doubling up to five minutes", async () => {
    const issue = api.issue(12);
    await reject();
    api.failWith(503);
    for (const wait of [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]) {
      expect(await deliver()).toBe(0);
      const sent = api.requests.length;
      library.clock.advance(wait * secondMicros - 1);
      await deliver();
      expect([wait, api.requests.length - sent]).toEqual([wait, 0]);
      library.clock.advance(1);
    }
    api.clearFaults();
    expect(await deliver()).toBe(1);
    expect(issue.comments.length).toBe(1);
  });

  test.each([401, 403, 404, 429, 500, 502])("is retried after a %d", async (status) => {
    const issue = api.issue(12);
    await reject();
    api.failWith(status, undefined, 1);
    expect(await deliver()).toBe(0);
    expect(must(library.logged.at(-1))).toMatchObject({
      level: "warn",
      fields: { repo: "acme/atlas", number: 12, attempts: 1 },
    });
    library.clock.advance(secondMicros);
    expect(await deliver()).toBe(1);
    expect(issue.comments.length).toBe(1);
  });

  test("is given up after three days, or immediately if the issue was deleted, with a log entry", async () => {
    await reject();
    api.failWith(500);
    library.clock.advance(3 * dayMicros);
    expect([await deliver(), (await waiting()).length]).toEqual([0, 1]);
    library.clock.advance(300 * secondMicros);
    expect([await deliver(), (await waiting()).length]).toEqual([1, 0]);
    expect(must(library.logged.at(-1))).toMatchObject({
      level: "error",
      message: "GitHub comment failed, giving up",
    });
    api.clearFaults();
    api.failWith(410);
    await reject();
    expect([await deliver(), (await waiting()).length]).toEqual([1, 0]);
    expect(must(library.logged.at(-1)).level).toBe("error");
  });

  test("does not block reviewers while GitHub hangs", async () => {
    api.issue(12);
    await reject();
    api.failWith("hang");
    const delivering = deliver(library.ctx, 300);
    await until(() => api.requests.length > 0, "the API gets a request");
    let isHanging = true;
    const hung = delivering.then(() => (isHanging = false));
    await reject({ issue: 13 });
    expect(isHanging).toBe(true);
    await hung;
    expect((await waiting()).length).toBe(2);
  });

  test("does not follow redirects with its token, or log it", async () => {
    api.issue(12);
    await reject();
    api.failWith("redirect");
    expect(await deliver()).toBe(0);
    expect(api.redirectedRequests).toBe(0);
    expect(JSON.stringify(library.logged)).not.toContain(githubToken);
  });
});

describe.each(dialects)("svc serve on %s", (dialect) => {
  test("delivers comments of new reviews and of those before its start", async () => {
    await using api = startGithubApi();
    const [early, late] = [api.issue(12, { state: "closed" }), api.issue(13)];
    await using database = await migratedDatabase(dialect);
    const data = await openData(database.url, { now: () => Date.now() * 1000, log() {} });
    await link(data, "atlas");
    const row = {
      ...({ forge: "github", host: "github.com", repo: "acme/atlas", is_pull: false } as const),
      ...{ body: "Before the start", due_at: 1, created_at: Date.now() * 1000 },
    };
    await data.atomically((writes) => writes.addOutbox({ ...row, number: 12, marker: "early" }));
    await data.close();
    await using folder = await temporaryFolder();
    const env = { SVC_DATA_DIR: folder.path, SVC_GITHUB_TOKEN: githubToken, SVC_GITHUB_API_URL: api.url };
    await using server = await startServer(database, env);
    await until(
      () => early.comments.length === 1 && early.state === "open",
      "the comment from before is there",
    );
    const headers = { authorization: `Bearer ${programToken}` };
    const form = new FormData();
    for (const [name, value] of Object.entries({
      project: "atlas",
      issue: "13",
      file: new File(["x"], "a.txt"),
    }))
      form.append(name, value);
    const { id } = (await (
      await fetch(`${server.origin}/api/v1/assets`, { method: "POST", headers, body: form })
    ).json()) as {
      id: string;
    };
    const review = {
      method: "PUT",
      headers: { ...headers, "content-type": "application/json" },
      body: '{"decision":"rejected","note":"No."}',
    };
    expect((await fetch(`${server.origin}/api/v1/assets/${id}/review`, review)).status).toBe(200);
    await until(() => late.comments.length === 1, "the comment of the review is there");
    expect(await server.terminate()).toBe(0);
  });
});

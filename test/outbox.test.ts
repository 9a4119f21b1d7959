/**
 * A rejection goes back to its task at the source host: once, whatever happens there and here, and never in a
 * reviewer's way.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { openData } from "../db/open.ts";
import type { Context } from "../src/context.ts";
import { dayMicros, secondMicros } from "../src/lib/time.ts";
import { githubIssues } from "../src/outbox/github.ts";
import { deliverOutbox } from "../src/outbox/outbox.ts";
import { type GithubApi, githubToken, startGithubApi } from "./support/github-api.ts";
import {
  dialects,
  freshDatabase,
  link,
  must,
  programToken,
  rowsOf,
  startServer,
  temporaryFolder,
  until,
} from "./support/harness.ts";
import { type Library, openLibrary } from "./support/library.ts";

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

  const deliver = (ctx: Context = library.ctx, deadlineMs = 5_000) =>
    deliverOutbox(ctx, githubIssues(ctx.config), deadlineMs);
  const waiting = () => rowsOf(library.url, "select * from outbox order by id");
  const reject = async (
    said: Parameters<Library["plant"]>[0] = { issue: 12 },
    note = "The logo is cut off.",
  ) => {
    const { id } = await library.plant(said);
    const { status } = await library.review(id, { decision: "rejected", note, by: "human:zoe" });
    expect(status).toBe(200);
    return id;
  };
  /** Another process on the same database, with a clock of its own. */
  const beside = async (): Promise<Context & AsyncDisposable> => {
    const data = await openData(library.url, { now: library.clock.now, log() {} });
    return { ...library.ctx, data, [Symbol.asyncDispose]: () => data.close() };
  };

  test("is a comment with the note, and opens its issue again", async () => {
    const issue = api.issue(12, { state: "closed" });
    const id = await reject({ issue: 12, title: "Landing page" }, "The logo is cut off.\nUse the SVG.");
    expect(await deliver()).toBe(1);
    expect(issue.state).toBe("open");
    expect(issue.comments).toEqual([
      expect.stringMatching(
        new RegExp(
          `^\\*\\*Landing page\\*\\* \\(version 1\\) was rejected by human:zoe:\n\n> The logo is cut off.\n> Use the SVG.\n\n\\[View the asset\\]\\(http://svc.test/assets/${id}\\)\n\n<!-- svc:${id}-\\d+ -->$`,
        ),
      ),
    ]);
    expect(await waiting()).toEqual([]);
    expect(await deliver()).toBe(0);
  });

  test("goes to the pull request where there are both; an open one is left as it is", async () => {
    const [issue, pr] = [api.issue(12), api.issue(34)];
    await reject({ issue: 12, pr: 34 });
    await deliver();
    expect([issue.comments.length, pr.comments.length]).toEqual([0, 1]);
    expect(api.requests.some((request) => request.startsWith("PATCH"))).toBe(false);
  });

  test("of a merged pull request is a comment; it is not opened again", async () => {
    const pr = api.issue(34, { state: "closed", merged: true });
    await reject({ pr: 34 });
    expect(await deliver()).toBe(1);
    expect([pr.state, pr.comments.length, await waiting()]).toEqual(["closed", 1, []]);
  });

  test("without a task says nothing there, nor does an approval", async () => {
    await reject({});
    const { id } = await library.plant({ issue: 12 });
    await library.review(id, { decision: "approved", note: "Fine." });
    expect(await waiting()).toEqual([]);
  });

  test("a second time is a second comment", async () => {
    const issue = api.issue(12);
    const id = await reject();
    library.clock.advance(1);
    await library.review(id, { decision: "rejected", note: "Still." });
    await deliver();
    expect(issue.comments.length).toBe(2);
    expect(must(issue.comments[1])).toContain("> Still.");
  });

  test("can neither call people, nor leave its quote, nor pass for another comment's mark", async () => {
    const issue = api.issue(12);
    await reject({ issue: 12, title: "For @everyone" }, "@maria\rnot quoted?\r\n<!-- svc:x -->");
    await deliver();
    const [comment = ""] = issue.comments;
    expect(comment).not.toMatch(/@(everyone|maria)/);
    expect(comment.match(/<!--/g)?.length).toBe(1);
    expect(
      comment.split(/\r\n|\r|\n/).filter((line) => /maria|quoted|svc:x/.test(line) && !line.startsWith("> ")),
    ).toEqual([]);
  });

  test("is not said again where its answer got lost", async () => {
    const issue = api.issue(12, {
      state: "closed",
      comments: Array.from({ length: 250 }, (_, index) => `comment ${index}`),
    });
    await reject();
    api.failWith("hang after", "POST", 1);
    expect(await deliver(library.ctx, 300)).toBe(0);
    expect([issue.comments.length, issue.state]).toEqual([251, "closed"]);
    library.clock.advance(secondMicros);
    expect(await deliver()).toBe(1);
    expect([issue.comments.length, issue.state]).toEqual([251, "open"]);
  });

  test("is not said again where the source host went away with its answer", async () => {
    const issue = api.issue(12, { state: "closed" });
    await reject();
    api.failWith("reset after", "POST", 1);
    expect(await deliver()).toBe(0);
    library.clock.advance(secondMicros);
    expect(await deliver()).toBe(0); // nobody listens
    api.start();
    library.clock.advance(2 * secondMicros);
    expect(await deliver()).toBe(1);
    expect([issue.comments.length, issue.state]).toEqual([1, "open"]);
  });

  test("is not said again where this process dies between the comment and its answer", async () => {
    const issue = api.issue(12);
    await reject();
    api.failWith("hang after", "POST", 1);
    const dying = deliver(library.ctx, 500); // of it nothing more is heard
    await until(() => issue.comments.length === 1, "the comment is there");
    await using other = await beside();
    expect(await deliver(other)).toBe(0); // the row may still be in work
    library.clock.advance(10 * secondMicros);
    expect(await deliver(other)).toBe(1);
    expect([issue.comments.length, await waiting()]).toEqual([1, []]);
    await dying;
  });

  test("is said once by several processes that deliver at once", async () => {
    const numbers = Array.from({ length: 12 }, (_, index) => 100 + index);
    for (const number of numbers) {
      api.issue(number);
      await reject({ issue: number });
    }
    await using other = await beside();
    const settled = await Promise.all([deliver(), deliver(other), deliver(), deliver(other)]);
    expect(settled.reduce((sum, count) => sum + count)).toBe(12);
    expect(numbers.map((number) => api.issue(number).comments.length)).toEqual(numbers.map(() => 1));
  });

  test("is tried again after one second, doubling to five minutes", async () => {
    const issue = api.issue(12);
    await reject();
    api.failWith(503);
    for (const wait of [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]) {
      expect(await deliver()).toBe(0);
      const asked = api.requests.length;
      library.clock.advance(wait * secondMicros - 1);
      await deliver();
      expect([wait, api.requests.length - asked]).toEqual([wait, 0]);
      library.clock.advance(1);
    }
    api.clearFaults();
    expect(await deliver()).toBe(1);
    expect(issue.comments.length).toBe(1);
  });

  test.each([401, 403, 404, 429, 500, 502])(
    "waits for the answer to be another one than %d",
    async (status) => {
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
    },
  );

  test("is given up after three days, and at once where the issue is gone for good, and the log says so", async () => {
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

  test("is not in the reviewer's way while the source host hangs", async () => {
    api.issue(12);
    await reject();
    api.failWith("hang");
    const delivering = deliver(library.ctx, 300);
    await until(() => api.requests.length > 0, "the source host is asked");
    let isHanging = true;
    const hung = delivering.then(() => (isHanging = false));
    await reject({ issue: 13 });
    expect(isHanging).toBe(true);
    await hung;
    expect((await waiting()).length).toBe(2);
  });

  test("takes its token to no other place, and writes it nowhere", async () => {
    api.issue(12);
    await reject();
    api.failWith("redirect");
    expect(await deliver()).toBe(0);
    expect(api.redirectedRequests).toBe(0);
    expect(JSON.stringify(library.logged)).not.toContain(githubToken);
  });
});

describe.each(dialects)("svc serve on %s", (dialect) => {
  test("delivers what a review left, and what waited for its start", async () => {
    await using api = startGithubApi();
    const [early, late] = [api.issue(12, { state: "closed" }), api.issue(13)];
    await using database = await freshDatabase(dialect);
    const data = await openData(database.url, { now: () => Date.now() * 1000, log() {} });
    await link(data, "atlas");
    const row = { repo: "acme/atlas", body: "Before the start", due_at: 1, created_at: Date.now() * 1000 };
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

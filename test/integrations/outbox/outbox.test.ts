/**
 * Rejections are posted to GitHub exactly once despite failures on either side, and never block a reviewer.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { openData } from "../../../db/open.ts";
import type { Context } from "../../../src/api/context.ts";
import { secondMicros } from "../../../src/core/lib/time.ts";
import { deliverOutbox } from "../../../src/integrations/outbox/outbox.ts";
import { type GithubApi, githubToken, startGithubApi } from "../../support/forges/github-api.ts";
import { dialects, must, rowsOf, until } from "../../support/harness.ts";
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
  /** Another process on the same database, with a clock of its own. */
  const openOtherProcess = async (): Promise<Context & AsyncDisposable> => {
    const data = await openData(library.url, { now: library.clock.now, log() {} });
    return { ...library.ctx, data, [Symbol.asyncDispose]: () => data.close() };
  };

  test("posts a comment with the note and reopens the issue", async () => {
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

  test("goes to the pull request if there are both, and leaves an open one open", async () => {
    const [issue, pr] = [api.issue(12), api.issue(34)];
    await reject({ issue: 12, pr: 34 });
    await deliver();
    expect([issue.comments.length, pr.comments.length]).toEqual([0, 1]);
    expect(api.requests.some((request) => request.startsWith("PATCH"))).toBe(false);
  });

  test("of a merged pull request posts a comment without reopening it", async () => {
    const pr = api.issue(34, { state: "closed", merged: true });
    await reject({ pr: 34 });
    expect(await deliver()).toBe(1);
    expect([pr.state, pr.comments.length, await waiting()]).toEqual(["closed", 1, []]);
  });

  test("without an issue posts nothing, nor does an approval", async () => {
    await reject({});
    const { id } = await library.plant({ issue: 12 });
    await library.review(id, { decision: "approved", note: "Fine." });
    expect(await waiting()).toEqual([]);
  });

  test("posts a second comment for a second rejection", async () => {
    const issue = api.issue(12);
    const id = await reject();
    library.clock.advance(1);
    await library.review(id, { decision: "rejected", note: "Still." });
    await deliver();
    expect(issue.comments.length).toBe(2);
    expect(must(issue.comments[1])).toContain("> Still.");
  });

  test("cannot mention people, break out of its quote, or forge a marker", async () => {
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

  test("is not posted again if the response was lost", async () => {
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

  test("is not posted again if GitHub closed the connection before it answered", async () => {
    const issue = api.issue(12, { state: "closed" });
    await reject();
    api.failWith("reset after", "POST", 1);
    expect(await deliver()).toBe(0);
    library.clock.advance(secondMicros);
    expect(await deliver()).toBe(0); // the API is down
    api.start();
    library.clock.advance(2 * secondMicros);
    expect(await deliver()).toBe(1);
    expect([issue.comments.length, issue.state]).toEqual([1, "open"]);
  });

  test("is not posted again if the process dies between the comment and its response", async () => {
    const issue = api.issue(12);
    await reject();
    api.failWith("hang after", "POST", 1);
    const dying = deliver(library.ctx, 500); // it never gets a response
    await until(() => issue.comments.length === 1, "the comment is there");
    await using other = await openOtherProcess();
    expect(await deliver(other)).toBe(0); // the claim has not expired
    library.clock.advance(10 * secondMicros);
    expect(await deliver(other)).toBe(1);
    expect([issue.comments.length, await waiting()]).toEqual([1, []]);
    await dying;
  });

  test("is posted once by several processes that deliver concurrently", async () => {
    const numbers = Array.from({ length: 12 }, (_, index) => 100 + index);
    for (const number of numbers) {
      api.issue(number);
      await reject({ issue: number });
    }
    await using other = await openOtherProcess();
    const settled = await Promise.all([deliver(), deliver(other), deliver(), deliver(other)]);
    expect(settled.reduce((sum, count) => sum + count)).toBe(12);
    expect(numbers.map((number) => api.issue(number).comments.length)).toEqual(numbers.map(() => 1));
  });
});

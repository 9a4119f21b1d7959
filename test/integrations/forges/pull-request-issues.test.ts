/** Which issue a pull request is for, as its description or its branch says. */
import { describe, expect, test } from "bun:test";
import type { UsageReport } from "../../../src/feed/usage/schema.ts";
import { closedIssue } from "../../../src/integrations/forges/closing-keywords.ts";
import { deliver, openLinked } from "../../support/forges/github-deliveries.ts";
import { example } from "../../support/forges/github-webhooks.ts";
import { dialects, event } from "../../support/harness.ts";

test.each([
  ["Fixes #13", 13],
  ["A map.\n\nresolves: #13, and closes #14", 13],
  ["Closes acme/Atlas#13", 13],
  ["fixed https://github.com/acme/atlas/issues/13", 13],
  ["Implements https://gitlab.example.com/acme/atlas/-/issues/13.", 13],
  ["closes GH-13", 13],
  ["<!-- Fixes #1 --> Fix #13", 13],
  ["See #13. This fixes the map", undefined],
  ["Fixes other/atlas#13", undefined],
  ["Fixes https://github.com/other/atlas/issues/13", undefined],
  ["<!-- Fixes #1", undefined],
  ["prefixes #13", undefined],
  ["Fixes #0 and fixes #99999999999", undefined],
  [null, undefined],
])("the issue that %j closes is %j", (text, issue) => {
  expect(closedIssue("acme/atlas", text).issue).toBe(issue);
});

test("a description of closing keywords is read in linear time", () => {
  for (const part of ["Fixes ", "<!-- ", "fixes a/", "Closes https://"]) {
    const began = performance.now();
    closedIssue("acme/atlas", part.repeat(65_536 / part.length));
    expect(performance.now() - began).toBeLessThan(500);
  }
});

describe.each(dialects)("a pull request of GitHub on %s", (dialect) => {
  const merge = (number: number, fields: object) =>
    example("pull_request", "closed", ({ pull_request, repository, ...body }) => {
      Object.assign(pull_request, { id: number, number, merged: true, body: null }, fields);
      Object.assign(body, { number });
      if (fields && "own" in fields)
        Object.assign(pull_request, { head: { ref: fields.own, repo: { id: repository.id } } });
    });

  test.each([
    ["its description", { body: "Fixes #13" }],
    ["its branch", { own: "13-harbor-map" }],
  ])("is merged in the row of the issue that %s names, with the cost of that issue", async (_, fields) => {
    await using app = await openLinked(dialect);
    const work = { kind: "step.usage", project: "hello", actor: "agent:codex" } as const;
    await app.ctx.data.append([
      event({ ...work, issue: 13, cost_equiv: 1.25 }),
      event({ ...work, pr: 45, cost_equiv: 0.5 }),
    ]);
    expect((await deliver(app, "pull_request", merge(45, fields))).body).toMatchObject({ accepted: 1 });
    // Anyone can name a branch of a fork.
    const fork = { head: { ref: "13-fork", repo: { id: 1 } } };
    await deliver(app, "pull_request", merge(46, fork));
    const deletedFork = { head: { ref: "13-fork", repo: null } };
    await deliver(app, "pull_request", merge(47, deletedFork));
    const { rows }: UsageReport = await (await app.ask("/api/v1/usage?by=task")).json();
    expect(rows.map(({ issue, pr, cost_equiv, merges }) => [issue, pr, cost_equiv, merges])).toEqual([
      [13, null, 1.75, 1],
      [null, 46, 0, 1],
      [null, 47, 0, 1],
    ]);
  });
});

/** Renamed repositories, changes that are sent again, and hostile text. */
import { describe, expect, test } from "bun:test";
import {
  added,
  addedBy,
  deliver,
  duplicate,
  env,
  feedOf,
  ignored,
  isMapped,
  type Json,
  openLinked,
  repositories,
} from "../../support/forges/github-deliveries.ts";
import { typo } from "../../support/forges/github-events.ts";
import { example, examples } from "../../support/forges/github-webhooks.ts";
import { dialects, link, openApp } from "../../support/harness.ts";

/** Titles, before and after cleaning. */
const hostile: [title: string, cleaned: string][] = [
  ["\u0000nul\u0000", "nul"],
  ["two\r\nlines\u2028or\u2029more\tand\u0085tabs", "two lines or more and tabs"],
  ["\u001b[2J\u001b[31mred\u001b[0m \u009b1mbold", "red bold"],
  ["\u001b]8;;https://evil.example\u0007link\u001b]8;;\u0007 \u001b]52;c;aGk=\u001b\\end", "link end"],
  ["back\bspace\u007f bell\u0007", "back space bell"],
  ["\u202eevol\u202c \u2066isolate\u2069 \u200fmark\ufeff", "evol isolate mark"],
  ["hid\u{e0068}\u{e0069}den ze\u200bro", "hidden zero"],
  ["half \ud83d of a pair \udc4d", "half \ufffd of a pair \ufffd"],
  ["cafe\u0301", "café"],
  ["<script>alert(1)</script> & \"quotes\" '\\'", "<script>alert(1)</script> & \"quotes\" '\\'"],
  ["event: forged\n\ndata: {}", "event: forged data: {}"],
  ["a".repeat(10_240), `${"a".repeat(1004)}…`],
  ["👩‍💻".repeat(1000), `${"👩‍💻".repeat(91)}…`],
  [" \u0007 ", ""],
];

describe.each([...dialects])("GitHub webhooks on %s", (dialect) => {
  test("a renamed or transferred repository stays with its project, which takes over the new name", async () => {
    await using app = await openLinked(dialect);
    const issue = (number: number, repository: object) => {
      const body = example("issues", "opened");
      Object.assign(body.issue, { id: number, number });
      Object.assign(body.repository, repository);
      return deliver(app, "issues", body);
    };
    const moved = (action: string, changes: object, full_name: string) =>
      deliver(app, "repository", {
        action,
        changes,
        repository: { id: 5, full_name },
        sender: { login: "a", type: "User" },
      });
    const nothingAdded = { status: 202, body: { accepted: 0, duplicates: 0 } };
    expect(await issue(1, { id: 5, full_name: "Codertocat/Hello-World" })).toEqual(added);
    expect(await repositories(app)).toMatchObject({ hello: ["codertocat/HELLO-world", 5] });

    expect(
      await moved("renamed", { repository: { name: { from: "Hello-World" } } }, "Codertocat/World"),
    ).toEqual(nothingAdded);
    expect(await repositories(app)).toMatchObject({ hello: ["Codertocat/World", 5] });
    expect(
      await moved("transferred", { owner: { from: { user: { login: "Codertocat" } } } }, "acme/World"),
    ).toEqual(nothingAdded);
    expect(await repositories(app)).toMatchObject({ hello: ["acme/World", 5] });
    // A replay of the earlier rename.
    expect(
      await moved("renamed", { repository: { name: { from: "Hello-World" } } }, "Codertocat/World"),
    ).toEqual(nothingAdded);
    expect(await issue(1, { id: 5, full_name: "Codertocat/Hello-World" })).toEqual(duplicate);
    expect(await repositories(app)).toMatchObject({ hello: ["acme/World", 5] });

    // A rename that is first seen with the next event.
    expect(await issue(2, { id: 5, full_name: "acme/Earth" })).toEqual(added);
    expect(await repositories(app)).toMatchObject({ hello: ["acme/Earth", 5] });
    expect((await feedOf(app)).at(-1)).toMatchObject({ project: "hello", repo: "acme/Earth" });
    expect(await moved("archived", {}, "acme/Earth")).toEqual(ignored("repository archived is not used"));
    // Another repository that now has the old name is not linked; a project that is linked to the new name
    // keeps it.
    expect(await issue(3, { id: 6, full_name: "acme/World" })).toEqual(
      ignored("repository acme/World is not linked"),
    );
    await link(app.ctx.data, "mars", "acme/Mars");
    expect(await issue(4, { id: 5, full_name: "acme/Mars" })).toEqual(added);
    expect(await repositories(app)).toMatchObject({ hello: ["acme/Earth", null], mars: ["acme/Mars", 5] });
    await link(app.ctx.data, "mars", "acme/Phobos");
    expect(await repositories(app)).toMatchObject({ mars: ["acme/Phobos", null] });
    const renames = (await app.ctx.data.audit({ limit: 100 })).filter(
      ({ what }) => what === "webhook rename",
    );
    expect(renames.map(({ project }) => project)).toEqual(["hello", "hello", "hello"]);
  });

  test("deleted and transferred issues are closed", async () => {
    await using app = await openLinked(dialect);
    const open = async () => ((await (await app.ask("/api/v1/projects/hello")).json()) as Json).openIssues;
    for (const [action, detail] of [
      ["deleted", ""],
      ["transferred", " to acme/other"],
    ] as const) {
      expect(
        await deliver(
          app,
          "issues",
          example("issues", "reopened", ({ issue }) =>
            Object.assign(issue, {
              updated_at: action === "deleted" ? "2026-01-01T00:00:00Z" : "2026-01-02T00:00:00Z",
            }),
          ),
        ),
      ).toEqual(added);
      expect(await open()).toBe(1);
      const gone = example("issues", "opened", (body) =>
        Object.assign(body, {
          action,
          ...(detail && { changes: { new_repository: { full_name: "acme/other" } } }),
        }),
      );
      expect(await deliver(app, "issues", gone)).toEqual(added);
      expect(await open()).toBe(0);
      expect((await feedOf(app)).at(-1)).toMatchObject({
        kind: "issue.closed",
        summary: `Issue #1 ${action}${detail}: ${typo}`,
      });
    }
  });

  test("a repeated delivery id adds nothing", async () => {
    await using app = await openLinked(dialect);
    const again = { "x-github-delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958" };
    expect(await deliver(app, "issues", example("issues", "opened"), again)).toEqual(added);
    expect(await deliver(app, "issues", example("issues", "reopened"), again)).toEqual(duplicate);
  });

  test("a change without a timestamp is deduplicated by the hash of its body", async () => {
    await using app = await openLinked(dialect);
    const timeless = example("issues", "opened", ({ issue }) => void delete issue.updated_at);
    expect(await deliver(app, "issues", timeless)).toEqual(added);
    expect(await deliver(app, "issues", timeless)).toEqual(duplicate);
    timeless.issue.title = "Another";
    expect(await deliver(app, "issues", timeless)).toEqual(added);
    const run = example(
      "workflow_run",
      "completed",
      ({ workflow_run }) => void delete workflow_run.updated_at,
    );
    expect(await deliver(app, "workflow_run", run)).toEqual(addedBy({ kind: "workflow.run" }));
    expect((await feedOf(app)).at(-1)?.duration_ms).toBeNull();
  });

  test("the same action at another time adds another event", async () => {
    await using app = await openLinked(dialect);
    for (const updated_at of ["2026-02-01T10:00:00Z", "2026-02-01T10:00:01Z"])
      expect(
        await deliver(
          app,
          "issues",
          example("issues", "reopened", ({ issue }) => Object.assign(issue, { updated_at })),
        ),
      ).toEqual(added);
  });

  test("two labels added at the same time are two events", async () => {
    await using app = await openLinked(dialect);
    const labeled = (id: number, name: string) =>
      example("issues", "labeled", (body) => void (body.label = { id, name }));
    expect(await deliver(app, "issues", labeled(1, "bug"))).toEqual(added);
    expect(await deliver(app, "issues", labeled(2, "urgent"))).toEqual(added);
    expect(await deliver(app, "issues", labeled(1, "renamed"))).toEqual(duplicate);
  });

  test("hostile text is cleaned and truncated, never rejected", async () => {
    await using app = await openLinked(dialect);
    for (const [index, [title]] of hostile.entries())
      expect(
        await deliver(
          app,
          "issues",
          example("issues", "opened", ({ issue }) => Object.assign(issue, { id: index + 1, title })),
        ),
      ).toEqual(added);
    const summaries = (await feedOf(app)).map(({ summary }) => summary.replace(/^Issue #1 opened: ?/, ""));
    expect(summaries).toEqual(hostile.map(([, cleaned]) => cleaned));
  });

  test("timestamps in a delivery do not affect the order of the feed", async () => {
    await using app = await openLinked(dialect);
    for (const [index, updated_at] of [
      "9999-12-31T23:59:59Z",
      "1970-01-01T00:00:00Z",
      "2019-05-15T15:20:18+14:00",
    ].entries())
      expect(
        await deliver(
          app,
          "issues",
          example("issues", "opened", ({ issue }) => Object.assign(issue, { id: index + 1, updated_at })),
        ),
      ).toEqual(added);
    const times = (await feedOf(app)).map(({ ts }) => ts);
    expect(times).toEqual([
      "2026-03-01T12:00:00.000000Z",
      "2026-03-01T12:00:00.000001Z",
      "2026-03-01T12:00:00.000002Z",
    ]);
  });

  test("webhooks of a repository that is not linked are ignored", async () => {
    await using app = await openApp(dialect, env);
    await link(app.ctx.data, "near", "Codertocat/Hello-Worlds");
    for (const one of examples.filter(isMapped))
      expect(await deliver(app, one.name, one.body)).toEqual(
        ignored(`repository ${one.body.repository.full_name} is not linked`),
      );
    for (const full_name of ["ann_acme/notes", "no slash", ""]) {
      const body = example("issues", "opened", ({ repository }) => Object.assign(repository, { full_name }));
      expect(await deliver(app, "issues", body)).toEqual(ignored(`repository ${full_name} is not linked`));
    }
    expect(await feedOf(app)).toEqual([]);
  });
});

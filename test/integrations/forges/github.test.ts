/** GitHub webhooks: every example and every mapped action adds its event, once. */
import { describe, expect, test } from "bun:test";
import { openData } from "../../../db/open.ts";
import { secondMicros } from "../../../src/core/lib/time.ts";
import { buildApp } from "../../../src/web/app.ts";
import {
  added,
  addedBy,
  contentOf,
  deliver,
  duplicate,
  duplicateOf,
  feedOf,
  formOf,
  ignored,
  isMapped,
  type Json,
  openLinked,
  repositories,
  withoutRuns,
} from "../../support/forges/github-deliveries.ts";
import { eventsOfExamples, moreEvents } from "../../support/forges/github-events.ts";
import { delivery, example, examples, names } from "../../support/forges/github-webhooks.ts";
import { dialects } from "../../support/harness.ts";

/** In GitHub's default encoding. */
const asForm = (name: string, body: unknown): RequestInit =>
  formOf(name, new URLSearchParams({ payload: JSON.stringify(body) }).toString());

describe.each([...dialects])("GitHub webhooks on %s", (dialect) => {
  test("every example gets a 202, and the mapped events and actions add exactly their feed events", async () => {
    await using app = await openLinked(dialect);
    for (const one of examples) {
      const { status, body } = await deliver(app, one.name, one.body);
      expect([one.source, one.name, status, Number(body.accepted) + Number(body.duplicates) > 0]).toEqual([
        ...[one.source, one.name, one.name === "ping" ? 200 : 202, isMapped(one)],
      ]);
    }
    expect((await withoutRuns(app)).map(contentOf)).toEqual(eventsOfExamples);
  });

  test("every other mapped action adds its event, and open issues are counted", async () => {
    await using app = await openLinked(dialect);
    expect(await deliver(app, "issues", example("issues", "opened"))).toEqual(added);
    const opened = (await (await app.ask("/api/v1/projects/hello")).json()) as Json;
    for (const [name, body, event] of moreEvents)
      expect(await deliver(app, name, body)).toEqual(addedBy(event));
    const closed = (await (await app.ask("/api/v1/projects/hello")).json()) as Json;
    expect((await withoutRuns(app)).slice(1).map(contentOf)).toEqual(moreEvents.map(([, , event]) => event));
    expect([opened.openIssues, closed.openIssues]).toEqual([1, 0]);
  });

  test("a delivery sent twenty times concurrently to two processes, and again later, adds one event", async () => {
    await using app = await openLinked(dialect);
    await using opened = new AsyncDisposableStack();
    const other = opened.adopt(await openData(app.url, { now: app.clock.now, log: app.ctx.log }), (data) =>
      data.close(),
    );
    const elsewhere = buildApp({ ...app.ctx, data: other });
    for (const [name, body] of moreEvents.slice(0, 3)) {
      const sent = delivery(name, body);
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, turn) =>
          turn % 2
            ? app.ask("/api/hooks/github", sent)
            : elsewhere(new Request("http://svc.test/api/hooks/github", sent), null),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(202));
      const bodies = (await Promise.all(answers.map((answer) => answer.json()))) as Json[];
      expect(bodies.filter(({ accepted }) => accepted === 1)).toHaveLength(1);
      expect(await (await app.ask("/api/hooks/github", sent)).json()).toEqual(duplicate.body);
    }
    expect(await feedOf(app)).toHaveLength(3);
  });

  test("a replayed body with a new delivery id adds nothing, nor does another body of the same change", async () => {
    await using app = await openLinked(dialect);
    for (const [name, body, event] of moreEvents)
      expect(await deliver(app, name, body)).toEqual(addedBy(event));
    for (const [name, body, event] of moreEvents) {
      expect(await deliver(app, name, body)).toEqual(duplicateOf(event));
      expect(await deliver(app, name, { ...body, installation: { id: 7 } })).toEqual(duplicateOf(event));
    }
    expect(await withoutRuns(app)).toHaveLength(moreEvents.length);
  });

  test("form-encoded deliveries, GitHub's default, are accepted like JSON and count as the same delivery", async () => {
    await using app = await openLinked(dialect);
    for (const [name, body, event] of moreEvents) {
      const response = await app.ask("/api/hooks/github", asForm(name, body));
      expect({ status: response.status, body: (await response.json()) as Json }).toEqual(addedBy(event));
      expect(await deliver(app, name, body)).toEqual(duplicateOf(event));
    }
    expect((await withoutRuns(app)).map(contentOf)).toEqual(moreEvents.map(([, , event]) => event));
  });

  test("a ping is answered with the project, the events that svc uses and those the webhook does not send", async () => {
    await using app = await openLinked(dialect);
    const ping = (repository: object | undefined, events: string[]) =>
      deliver(app, "ping", { zen: "Keep it logically awesome.", hook: { events }, repository });
    expect(
      await ping({ id: 7, full_name: "CoderToCat/hello-world" }, ["issues", "pull_request", "push"]),
    ).toEqual({
      status: 200,
      body: {
        ...{
          accepted: 0,
          duplicates: 0,
          repository: "CoderToCat/hello-world",
          project: "hello",
          events: ["issues", "pull_request"],
        },
        missing: [
          ...["pull_request_review", "workflow_run", "workflow_job", "check_run"],
          ...["deployment_status", "repository"],
        ],
      },
    });
    expect(await repositories(app)).toMatchObject({ hello: ["codertocat/HELLO-world", 7] });
    expect(await ping({ id: 8, full_name: "acme/other" }, ["*"])).toMatchObject({
      ...{
        status: 200,
        body: { project: null, missing: [], ignored: "repository acme/other is not linked" },
      },
    });
    expect(await ping(undefined, ["issues"])).toMatchObject({
      status: 200,
      body: { repository: null, project: null },
    });
    expect((await deliver(app, "ping", { hook: 7 })).status).toBe(400);
  });

  test("ignored webhooks say why, are counted, and are logged at most once a minute", async () => {
    await using app = await openLinked(dialect);
    const lines = () =>
      app.logged.filter(({ message }) => message === "GitHub webhooks ignored").map(({ fields }) => fields);
    expect(await deliver(app, "push", example("push", undefined as never))).toEqual(
      ignored("event push is not used"),
    );
    expect(await deliver(app, "issues", example("issues", "assigned"))).toEqual(
      ignored("issues assigned is not used"),
    );
    const elsewhere = example("issues", "opened", ({ repository }) =>
      Object.assign(repository, { full_name: "acme/x" }),
    );
    for (let time = 0; time < 3; time++)
      expect(await deliver(app, "issues", elsewhere)).toEqual(ignored("repository acme/x is not linked"));
    expect(lines()).toEqual([{ count: 1, reasons: ["event push is not used"] }]);
    app.clock.advance(60 * secondMicros);
    await deliver(app, "issues", elsewhere);
    expect(lines().slice(1)).toEqual([
      { count: 5, reasons: ["issues assigned is not used", "repository acme/x is not linked"] },
    ]);
    const metrics = await (await app.ask("/metrics")).text();
    for (const [reason, count] of Object.entries({ event: 1, action: 1, repository: 4 }))
      expect(metrics).toContain(`svc_webhook_ignored_total{sender="github",reason="${reason}"} ${count}\n`);
  });
});

describe("GitHub's examples", () => {
  test("are enough to be representative", () => {
    expect(examples.length).toBeGreaterThan(700);
    expect(names.length).toBeGreaterThan(55);
  });
});

/** Which project and task telemetry belongs to, and how telemetry without one is reported. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { quickChecks } from "../../../src/api/doctor/checks.ts";
import { dayMicros } from "../../../src/core/lib/time.ts";
import type { Projects } from "../../../src/core/rows.ts";
import { placeRecords } from "../../../src/integrations/telemetry/mapping.ts";
import type { Placement } from "../../../src/integrations/telemetry/sources/source.ts";
import { type Dialect, dialects, must, openApp, type TestApp } from "../../support/harness.ts";
import { type AttributeMap, fixtureOf, mappedOf, spansOf } from "../../support/telemetry/telemetry.ts";

const usage = { "gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 5 };

async function openLinked(dialect: Dialect): Promise<TestApp> {
  const app = await openApp(dialect);
  await app.ctx.data.atomically(async (writes) => {
    await writes.linkProject({ slug: "atlas", repo: "Acme/Atlas" }, 1);
    const elsewhere = { forge: "gitlab", host: "gitlab.example.com", repo: "acme/atlas" } as const;
    await writes.linkProject({ slug: "cygnus", ...elsewhere }, 1);
    await writes.linkProject({ slug: "borealis", repo: "acme/borealis", branch_pattern: "AB-(\\d+)" }, 1);
  });
  return app;
}

const callerOf = (projects: Projects) => ({
  ...{ name: "ci", scopes: new Set(["feed:write"] as const), projects, expiresAt: null },
});

/** Where a span goes whose resource has these attributes, and which may have some of its own. */
async function placeOf(app: TestApp, projects: Projects, resource: AttributeMap, own: AttributeMap = {}) {
  const mapped = mappedOf(spansOf([{ attributes: { ...usage, ...own } }], resource));
  const [place] = await placeRecords(app.ctx, callerOf(projects), mapped);
  return place;
}

const url = "vcs.repository.url.full";
const branch = "vcs.ref.head.name";
const notLinked = "the repository is not linked to a project that the token can write to";
const notKnown = "svc.project names no project that the token can write to";
const none = expect.stringContaining("no project: set svc.project in OTEL_RESOURCE_ATTRIBUTES");

describe.each(dialects)("telemetry on %s", (dialect) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openLinked(dialect);
  });
  afterAll(() => app.close());

  test.each<[Projects, AttributeMap, object]>([
    [null, { "svc.project": "atlas" }, { project: "atlas" }],
    [null, { "svc.project": "atlas", [url]: "https://github.com/acme/borealis" }, { project: "atlas" }],
    [null, { [url]: "https://github.com/acme/atlas" }, { project: "atlas" }],
    [null, { [url]: "git@github.com:acme/atlas.git" }, { project: "atlas" }],
    [null, { [url]: "https://gitlab.example.com/acme/atlas.git" }, { project: "cygnus" }],
    [null, { [url]: "ssh://git@GitLab.example.com:2222/acme/atlas" }, { project: "cygnus" }],
    [null, { [url]: "git@gitlab.example.com:acme/atlas.git" }, { project: "cygnus" }],
    [null, { [url]: "git@alias-of-ssh:acme/atlas.git" }, { project: "atlas" }],
    [null, { "vcs.repository.name": "acme/ATLAS" }, { project: "atlas" }],
    [null, { "vcs.repository.name": "atlas", "vcs.owner.name": "acme" }, { project: "atlas" }],
    [null, { "vcs.repository.name": "atlas" }, { project: "atlas" }],
    [["atlas"], {}, { project: "atlas" }],
    [["atlas"], { "vcs.repository.name": "unknown" }, { project: "atlas" }],
    [["atlas"], { "svc.issue": 42 }, { project: "atlas", issue: 42 }],
    [["atlas"], { "svc.pr": "7", [branch]: "fix/42" }, { project: "atlas", pr: 7 }],
    [["atlas"], { [branch]: "fix/42-login" }, { project: "atlas", issue: 42 }],
    [["atlas"], { [branch]: "AB-42" }, { project: "atlas", task: "AB-42" }],
    [["borealis"], { [branch]: "anna/AB-42-login" }, { project: "borealis", issue: 42 }],
    [["borealis"], { [branch]: "fix/42-login" }, { project: "borealis" }],
    [["atlas"], { "svc.issue": 0 }, { project: "atlas" }],
    [null, {}, { reason: none }],
    [["atlas", "borealis"], {}, { reason: none }],
    [null, { "svc.project": "cetus" }, { reason: notKnown }],
    [["atlas"], { "svc.project": "borealis" }, { reason: notKnown }],
    [["atlas"], { [url]: "https://github.com/acme/borealis" }, { reason: notLinked }],
    [["atlas"], { [url]: "https://github.com/acme/unknown" }, { reason: notLinked }],
  ])("of a token for %j with %j is for %j", async (projects, resource, expected) => {
    expect(await placeOf(app, projects, resource)).toEqual(expected as never);
  });

  test("is for the project and the task of the run that the hooks of its session report", async () => {
    const mapped = mappedOf(await fixtureOf("claude-code")).filter(({ event }) => event.run_id !== undefined);
    const { event } = must(mapped[0]);
    const run = { actor: "agent:claude-code", summary: "Session started", run_id: must(event.run_id) };
    const placed = async (projects: Projects, named: Placement) =>
      (await placeRecords(app.ctx, callerOf(projects), [{ ...must(mapped[0]), place: named }]))[0];
    expect(await placed(null, {})).toMatchObject({ reason: none });

    await app.ctx.data.append([{ ...run, kind: "run.started", project: "borealis", issue: 9 }]);
    expect(await placed(null, {})).toMatchObject({ project: "borealis", issue: 9 });
    expect(await placed(["borealis"], {})).toMatchObject({ project: "borealis", issue: 9 });
    expect(await placed(null, { pr: 7 })).toMatchObject({ project: "borealis", pr: 7 });
    for (const elsewhere of [await placed(null, { project: "atlas" }), await placed(["atlas"], {})]) {
      expect(elsewhere).toMatchObject({ project: "atlas" });
      expect(elsewhere).not.toHaveProperty("issue");
    }
    // A run of the same id in another project: neither is more likely.
    await app.ctx.data.append([{ ...run, kind: "run.started", project: "atlas" }]);
    expect(await placed(null, {})).toMatchObject({ reason: none });
  });

  test("is for what the record says before what its resource says", async () => {
    const place = await placeOf(app, null, { "svc.project": "atlas" }, { "svc.project": "borealis" });
    expect(place).toEqual({ project: "borealis" });
  });

  test("that fits no project is counted by source and reason, and doctor says what to do", async () => {
    await using app = await openLinked(dialect);
    for (let time = 0; time < 3; time++) await placeOf(app, null, {});
    await placeOf(app, null, { "svc.project": "cetus" });
    const rows = await app.ctx.data.unplaced();
    const common = { source: "frameworks", token: "ci", last_at: app.ctx.now() };
    expect(rows).toEqual([
      { ...common, reason: "no project", count: 3 },
      { ...common, reason: "unknown project", count: 1 },
    ]);
    const findings = (await quickChecks(app.ctx)).filter(({ what }) => what === "telemetry");
    expect(findings).toEqual([
      {
        ...{ what: "telemetry", level: "warning" },
        detail: expect.stringMatching(
          /^3 records of frameworks fit no project \(no project; last from token ci, .*Z\); set OTEL_RES/,
        ),
      },
      expect.objectContaining({ detail: expect.stringContaining("correct svc.project") }),
    ]);
  });

  test("is reported for a week", async () => {
    await using app = await openLinked(dialect);
    await placeOf(app, null, {});
    app.clock.advance(8 * dayMicros);
    const findings = (await quickChecks(app.ctx)).filter(({ what }) => what === "telemetry");
    expect(findings).toEqual([{ what: "telemetry", level: "ok", detail: "all of it fits a project" }]);
  });
});

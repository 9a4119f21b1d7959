/** Filters of the feed with several values: an event matches if it has one of them. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { allScopes } from "../../src/core/auth/scopes.ts";
import type { Event, FeedPage } from "../../src/feed/schema.ts";
import { databaseKinds, event, link, openApp, type TestApp } from "../support/harness.ts";

const kinds = ["run.started", "run.finished", "run.failed", "step.usage"] as const;
const actors = ["agent:a", "agent:b", "bot:x,y"] as const;
const lanes = ["lane_a", "lane_b", null] as const;
const teams = ["maps", "data", null] as const;
const people = ["zelda", "yuri_2", "yurix2", null] as const;
const projects = ["atlas", "borealis", "cygnus"] as const;

describe.each(databaseKinds)("a filter with several values on %s", (dialect) => {
  let app: TestApp;
  let token: string;
  let all: Event[];
  beforeAll(async () => {
    app = await openApp(dialect);
    for (const slug of projects) await link(app.ctx.data, slug);
    const events = Array.from({ length: 180 }, (_, at) =>
      event({
        summary: `Event ${at}`,
        ...{ kind: kinds[at % 4] ?? "step.usage", actor: actors[at % 3] as string },
        ...{ lane: lanes[(at >> 2) % 3] ?? null, project: projects[(at >> 1) % 3] as string },
        issue: at % 5 === 0 ? 12 : null,
        ...{ team: teams[at % 3] ?? null, person: people[(at >> 2) % 4] ?? null },
      }),
    );
    await app.ctx.data.atomically((writes) => writes.append(events));
    token = await app.mint(allScopes);
    all = (await feed("limit=200")).events;
  });
  afterAll(() => app.close());

  const feed = async (query: string, as = token): Promise<FeedPage> =>
    (await app.ask(`/api/v1/feed?${query}`, { token: as })).json();
  const ids = (events: Event[]) => events.map(({ id }) => id);

  test("finds events with one of them, newest first, along with any other filter", async () => {
    const queries: [query: string, matches: (one: Event) => boolean][] = [
      ["kind=run.failed,run.started", ({ kind }) => kind === "run.failed" || kind === "run.started"],
      ["kind=run.failed,run.failed", ({ kind }) => kind === "run.failed"],
      ["project=atlas,cygnus", ({ project }) => project !== "borealis"],
      [
        "project=atlas,cygnus&kind=run.failed",
        (one) => one.project !== "borealis" && one.kind === "run.failed",
      ],
      ["actor=agent:a,agent:b&lane=lane_a,lane_b", (one) => one.actor !== "bot:x,y" && one.lane !== null],
      [
        "kind=run.failed, run.finished&actor=agent:a&project=atlas,borealis",
        ({ kind, actor, project }) =>
          (kind === "run.failed" || kind === "run.finished") && actor === "agent:a" && project !== "cygnus",
      ],
      ["issue=12&kind=run.failed,step.usage", (one) => one.issue === 12 && /failed|usage/.test(one.kind)],
      ["team=maps", ({ team }) => team === "maps"],
      ["person=yuri_2", ({ person }) => person === "yuri_2"],
      ["team=maps,data&kind=run.failed", ({ team, kind }) => team !== undefined && kind === "run.failed"],
      [
        "person=zelda,yuri_2&team=data&project=atlas,cygnus",
        (one) => /zelda|yuri_2/.test(one.person ?? "") && one.team === "data" && one.project !== "borealis",
      ],
      ["issue=12&person=yuri_2", ({ issue, person }) => issue === 12 && person === "yuri_2"],
      [
        "issue=12&team=maps,data&person=zelda,yurix2",
        ({ issue, team, person }) => issue === 12 && team !== undefined && /zelda|yurix2/.test(person ?? ""),
      ],
      ["issue=12&project=atlas,borealis", (one) => one.issue === 12 && one.project !== "cygnus"],
    ];
    for (const [query, matches] of queries) {
      const expected = ids(all.filter(matches));
      expect([query, expected.length > 3]).toEqual([query, true]);
      expect([query, ids((await feed(`${query}&limit=200`)).events)]).toEqual([query, expected]);
      const first = await feed(`${query}&limit=2`);
      const second = await feed(`${query}&limit=2&cursor=${first.next_cursor}`);
      expect([query, ids([...first.events, ...second.events])]).toEqual([query, expected.slice(0, 4)]);
    }
  });

  test("still takes an actor whose name contains a comma", async () => {
    const { events } = await feed("actor=bot:x,y&limit=200");
    expect(ids(events)).toEqual(ids(all.filter(({ actor }) => actor === "bot:x,y")));
  });

  test("shows nothing of projects that the token may not read", async () => {
    const limited = await app.mint(["feed:read"], { projects: ["atlas"] });
    const { events } = await feed("project=atlas,borealis&limit=200", limited);
    expect(ids(events)).toEqual(ids(all.filter(({ project }) => project === "atlas")));
    expect((await feed("project=borealis,cygnus", limited)).events).toEqual([]);
  });

  test("is rejected if one of them is invalid, given twice, or too many", async () => {
    const problem = async (query: string) => {
      const response = await app.ask(`/api/v1/feed?${query}`, { token });
      return [response.status, ((await response.json()) as { detail: string }).detail];
    };
    expect(await problem("kind=run.failed,run.flew")).toEqual([
      400,
      expect.stringMatching(/^kind must be one of issue\.opened, /),
    ]);
    expect(await problem("kind=run.failed&kind=run.started")).toEqual([400, "kind can be given only once."]);
    expect(await problem("lane=lane_a,lane_z")).toEqual([400, "lane must be one of lane_a, lane_b, lane_c."]);
    expect((await problem(`project=${Array(51).fill("atlas").join()}`))[0]).toBe(400);
    expect((await problem("issue=1,2"))[0]).toBe(400);
  });
});

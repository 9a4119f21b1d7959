/** Pages that a server renders before someone asks for them. */
import { expect, jest, test } from "bun:test";
import type { Data } from "../../src/api/port.ts";
import { warmUpAfterVisit } from "../../src/web/warm-up.ts";
import { link, openApp, until } from "../support/harness.ts";
import { runEvent } from "../support/memory/runs.ts";

const request = (headers: Record<string, string> = {}) => new Request("http://svc.test/", { headers });

test("once a browser came, the usual pages are rendered until the server stops, and none for programs", async () => {
  await using app = await openApp("sqlite");
  const { data } = app.ctx;
  await link(data, "atlas");
  await data.append([runEvent({ kind: "run.finished", project: "atlas", run_id: "one", issue: 7 })]);
  const reads: string[] = [];
  const recorded = new Proxy<Data>(data, {
    get(target, name) {
      reads.push(String(name));
      return Reflect.get(target, name);
    },
  });
  let isRunning = true;
  const ctx = { ...app.ctx, data: recorded, docSections: async () => ({ list: [] }) };
  const note = warmUpAfterVisit(ctx, () => isRunning);
  jest.useFakeTimers();
  note(request({ authorization: "Bearer token" }));
  jest.advanceTimersByTime(1_000);
  jest.useRealTimers();
  expect(reads).toEqual([]);

  note(request({ cookie: "session=1" }));
  // Of Today, usage, search, and the pages of a project and of a run.
  const ofPages = ["inboxMarks", "groupUsage", "countMatches", "currentDecisions", "runEvents"];
  await until(() => ofPages.every((name) => reads.includes(name)), `reads of ${ofPages}, not just ${reads}`);
  isRunning = false;
  expect(app.logged).toEqual([]);
});

/** A server that is killed while it redacts, erases a person or removes a project did it, or did not. */
import { describe, expect, test } from "bun:test";
import type { Context } from "../../src/api/context.ts";
import { checkRows } from "../../src/api/doctor/inconsistencies.ts";
import type { Data } from "../../src/api/port.ts";
import { finishRemovals } from "../../src/library/removals/finish.ts";
import { event, link, migratedDatabase, must, owned, programToken, startServer } from "../support/harness.ts";
import { deployments, openPlace } from "../support/library.ts";
import { openLeft, settled } from "./agreement.ts";
import { reached, times } from "./promises.ts";

const authorization = `Bearer ${programToken}`;
const subjects = ["event", "person", "project"] as const;
const eventsMade = 300;
/** A project has the event of its asset as well, and a removed one the event that says so. */
const counts = { person: [eventsMade, 0], project: [eventsMade + 1, 1] } as const;

/** How many events contain a text, and how many rows do in all that do not say what was removed. */
async function rowsWith(data: Data, text: string): Promise<[events: number, all: number]> {
  let [events, all] = [0, 0];
  await data.snapshot(async (rows) => {
    for (const table of rows.tables.filter((one) => one !== "removals" && one !== "audit"))
      for await (const page of rows.rows(table)) {
        const found = page.filter((row) => JSON.stringify(row).includes(text)).length;
        all += found;
        if (table === "events") events += found;
      }
  });
  return [events, all];
}

const kills = times("removalKills");

describe.each(deployments)("a server on $dialect and $place", ({ dialect, place }) => {
  test(`that is killed ${kills} times while it redacts, erases or removes a project: all or nothing, and the next start finishes`, async () => {
    await using opened = await openPlace(place);
    await using database = await migratedDatabase(dialect);
    for (let round = 0; round < kills; round++) {
      const kind = must(subjects[round % subjects.length]);
      const [project, name] = [`atlas-${round}`, `zorro${round}`];
      const data = await openLeft(database);
      await link(data, project);
      const fields = {
        project,
        actor: `human:${name}`,
        summary: `Says ${name}`,
        person: name,
        cost_equiv: 1,
      };
      const { added } = await data.append(
        Array.from({ length: eventsMade }, () => event({ ...fields, kind: "run.failed" })),
      );
      const known = (await data.listedRemovals(null, { kind, limit: 1000 })).length;
      await data.close();
      await using server = await startServer(database, opened.env);
      const api = `${server.origin}/api/v1`;
      const form = new FormData();
      form.append("project", project);
      form.append("file", new File([name], "a.txt"));
      await fetch(`${api}/assets`, { method: "POST", headers: { authorization }, body: form });
      const subject = { event: String(must(added[0]).id), person: name, project }[kind];
      const answer = fetch(`${api}/removals`, {
        ...{ method: "POST", headers: { authorization, "content-type": "application/json" } },
        body: JSON.stringify({ kind, subject, reason: "It must go." }),
      }).then(
        ({ status }) => status,
        () => null,
      );
      await Promise.race([Bun.sleep(Math.random() * 400), answer]);
      await server.kill();
      const status = await answer;
      expect([200, null]).toContain(status);
      await settled(database);

      const left = await openLeft(database);
      const ctx = {
        ...{ data: left, store: owned(opened.store, left), publicStore: owned(opened.publicStore, left) },
        ...{ now: () => Date.now() * 1000, log() {} },
      } as unknown as Context;
      const doctor = async () => (await checkRows(ctx, { deep: true })).filter(({ level }) => level !== "ok");
      expect(await doctor()).toEqual([]);
      const isDone = (await left.listedRemovals(null, { kind, limit: 1000 })).length > known;
      if (status === 200) expect(isDone).toBe(true);
      const [events, all] = await rowsWith(left, { event: `Says ${name}`, person: name, project }[kind]);
      if (kind === "event") expect(events).toBe(isDone ? eventsMade - 1 : eventsMade);
      // The names of a person go step by step, and the next start goes on.
      else if (kind === "project" || !isDone)
        expect([kind, isDone ? all : events]).toEqual([kind, counts[kind][Number(isDone) as 0 | 1]]);
      await finishRemovals(ctx);
      if (kind === "person" && isDone) expect(await rowsWith(left, name)).toEqual([0, 0]);
      expect(await left.unfinishedRemovals(1)).toEqual([]);
      const keys = (await Array.fromAsync(opened.store.list(""))).filter(({ key }) =>
        key.startsWith(`${project}/`),
      );
      expect(keys.length > 0).toBe(!(isDone && kind === "project"));
      expect(await doctor()).toEqual([]);
      await left.close();
    }
    reached("removalKills", kills);
  });
});

/** A start after a crash with many events and a long log: everything is there, and soon. */
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { statSync } from "node:fs";
import { event, fileOf, freshDatabase, must, programToken, scaled, startServer } from "../support/harness.ts";
import { openLeft } from "./agreement.ts";
import { measured, reached, scale, times } from "./promises.ts";

const total = times("longRestart");
const logBytes = scaled(2, 64) * 2 ** 20;

test.skipIf(scale === "suite")(
  `${total} events and a log of ${logBytes / 2 ** 20} MiB without a checkpoint are readable immediately after a crash`,
  async () => {
    await using database = await freshDatabase("sqlite");
    const data = await openLeft(database);
    const batch = Array.from({ length: 1_000 }, (_, index) =>
      event({ summary: `Step ${index} of a run that took its time` }),
    );
    for (let sent = 0; sent < total; sent += batch.length)
      await data.atomically((writes) => writes.append(batch));
    await data.close();
    {
      await using server = await startServer(database);
      // A reader of an old snapshot prevents a checkpoint.
      using reader = new Database(fileOf(database), { readonly: true });
      reader.exec("begin");
      reader.query("select count(*) from settings").get();
      const headers = { authorization: `Bearer ${programToken}`, "content-type": "application/json" };
      const body = JSON.stringify({ events: batch });
      while (statSync(`${fileOf(database)}-wal`).size < logBytes)
        expect(
          (await fetch(`${server.origin}/api/v1/events`, { method: "POST", headers, body })).status,
        ).toBe(200);
      await server.kill();
    }
    const begun = performance.now();
    await using server = await startServer(database);
    const response = await fetch(`${server.origin}/api/v1/feed?limit=1`, {
      headers: { authorization: `Bearer ${programToken}` },
    });
    measured("longStart", performance.now() - begun);
    const { events } = (await response.json()) as { events: { id: number }[] };
    expect(must(events[0]).id).toBeGreaterThan(total);
    reached("longRestart", total);
  },
);

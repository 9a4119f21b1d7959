/** The long logs of the benchmarks are what appends would have left. */
import { expect, test } from "bun:test";
import { openData } from "../../../db/open.ts";
import { readEvent, renderEvent } from "../../../src/feed/render-event.ts";
import { databaseKinds, fileOf, migratedDatabase, rowsOf } from "../../support/harness.ts";
import { fillFile, timeOf } from "./long-log.ts";
import { appendSamples, fillPostgres } from "./long-log-postgres.ts";
import { seedProjects } from "./seed-projects.ts";

const count = 4_000;
const open = (url: string) => openData(url, { now: () => timeOf(count, count), log() {} });

test.each(databaseKinds)("svc doctor finds nothing wrong with a long log on %s", async (kind) => {
  await using database = await migratedDatabase(kind);
  let data = await open(database.url);
  await seedProjects(data);
  if (database.dialect === "sqlite") await fillFile(data, fileOf(database), count);
  else {
    await appendSamples(data);
    await data.close();
    await fillPostgres(database.url, count);
    data = await open(database.url);
  }
  const found = await data.findInconsistencies();
  const newest = await data.feed(null, { limit: 500 });
  await data.close();
  // Its assets were not uploaded.
  expect(found.filter((one) => one.kind !== "uploaded")).toEqual([]);
  expect(newest.map((row) => renderEvent(readEvent(row)))).toEqual(newest.map(({ wire }) => wire));
  const [{ total } = {}] = await rowsOf(database.url, "select count(*) as total from facet_events");
  expect(Number(total)).toBe(count);
});

/** A server that rests gives back the pages of its database that SQLite holds. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { fileOf, freshDatabase } from "../support/harness.ts";

/** Rows that fit on a page: SQLite reads longer ones past its cache. */
const rowBytes = 200;
const rows = 120_000;
const program = join(import.meta.dir, "../support/database/released-memory.ts");

test("most of the memory that a large read took is given back", async () => {
  await using database = await freshDatabase("sqlite");
  const args = [fileOf(database), rows, rowBytes].map(String);
  // Without the settings of the suite, under which freed memory stays with the process.
  const child = Bun.spawn([process.execPath, program, ...args], { env: {}, stderr: "inherit" });
  const released = Number(await new Response(child.stdout).text());
  expect(released).toBeGreaterThan((rows * rowBytes) / 2 / 2 ** 20);
});

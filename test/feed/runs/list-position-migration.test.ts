/** Runs from before their position in lists was stored get the one that their events demand. */
import { expect, test } from "bun:test";
import { seededRandom } from "../../../db/demo/random.ts";
import { openData } from "../../../db/open.ts";
import { secondMicros } from "../../../src/core/lib/time.ts";
import { dialects, freshDatabase, link, rowsOf, testClock } from "../../support/harness.ts";
import { runEvent, wrongRuns } from "../../support/memory/runs.ts";

const random = seededRandom(27);
const steps = ["step.usage", "step.usage", "step.usage", "asset.uploaded"] as const;
const kinds = ["run.started", ...steps, ...steps, "run.finished", "run.failed"] as const;
const indexes = ["recent", "project", "status", "actor", "issue", "pr", "parent", "cost"];

/** Takes a database back to where it was before the migration. */
async function revert(url: string, withoutMark: string): Promise<void> {
  for (const name of indexes) await rowsOf(url, `drop index runs_${name}`);
  await rowsOf(url, "drop index runs_token");
  await rowsOf(url, "alter table runs drop column token");
  await rowsOf(url, "drop index runs_both");
  await rowsOf(url, `update runs set marks = ${withoutMark}`);
  await rowsOf(url, "alter table runs drop column listed_at");
  for (const name of indexes) await rowsOf(url, `create index runs_${name} on runs (last_event_at)`);
  await rowsOf(url, "delete from schema_migrations where name in ('0027_runs_listed', '0047_run_tokens')");
}

test.each(dialects)("the migration of list positions on %s", async (dialect) => {
  await using database = await freshDatabase(dialect);
  const { url } = database;
  const clock = testClock();
  const open = () => openData(url, { now: clock.now, log() {} });
  const before = await open();
  for (const slug of ["atlas", "borealis"]) await link(before, slug);
  for (let batch = 0; batch < 120; batch++) {
    clock.advance(random.between(0, 4) * secondMicros);
    const events = Array.from({ length: random.between(1, 4) }, () =>
      runEvent({
        kind: random.pick(kinds),
        project: random.pick(["atlas", "borealis"]),
        actor: random.pick(["agent:codex", "agent:claude"]),
        issue: random.pick([1, null]),
        pr: random.pick([1, null]),
        ...(random.chance(0.5) && { run_id: `run-${random.between(1, 12)}` }),
      }),
    );
    await before.append(events);
  }
  await before.close();
  const rows = () =>
    rowsOf(url, "select id, project, last_event_at, listed_at from runs order by id, project");
  const expected = await rows();
  expect(expected.length).toBeGreaterThan(10);
  expect(expected.filter((row) => row.listed_at !== row.last_event_at).length).toBeGreaterThan(0);
  await revert(
    url,
    dialect === "sqlite" ? "json_remove(marks, '$.listed')" : "(marks::jsonb - 'listed')::text",
  );
  const after = await open();
  expect(await rows()).toEqual(expected);
  expect(await wrongRuns(after)).toEqual([]);
  await after.close();
});

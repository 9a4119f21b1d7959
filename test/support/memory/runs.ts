/** Events of runs, and the rows kept of them. */
import { getTableColumns } from "drizzle-orm";
import { sqliteTables } from "../../../db/schema/sqlite-tables.ts";
import type { Data } from "../../../src/api/port.ts";
import type { Micros } from "../../../src/core/lib/time.ts";
import { fromMicros } from "../../../src/core/lib/time.ts";
import type { Appendable } from "../../../src/feed/rows.ts";
import { payloadOf } from "../../../src/feed/runs/payload.ts";
import { event, rowsOf } from "../harness.ts";

/** An event of a run, as the API appends it. @param at when it happened by the sender's clock */
export const runEvent = ({
  at,
  parent_run_id,
  ...fields
}: Partial<Appendable> & { at?: Micros; parent_run_id?: string }): Appendable => {
  const payload = payloadOf({ ts: at === undefined ? undefined : fromMicros(at), parent_run_id });
  return event({ project: "atlas", actor: "agent:codex", ...fields, ...(payload && { payload }) });
};

const positions = ["last_event_at", "listed_at"];

/** Every row of `runs`, without its position in the feed, which depends on when its events arrived. */
export async function runRowsOf(url: string): Promise<Record<string, unknown>[]> {
  const columns = Object.keys(getTableColumns(sqliteTables().runs)).filter(
    (name) => !positions.includes(name),
  );
  const rows = await rowsOf(url, `select ${columns.join()} from runs order by project, id`);
  return rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name,
        name === "marks"
          ? JSON.parse(String(value))
          : typeof value === "string" && /^\d+$/.test(value)
            ? Number(value)
            : value,
      ]),
    ),
  );
}

/** Expects that runs rebuilt from the events are the ones that are kept. */
export const wrongRuns = async (data: Data): Promise<string[]> =>
  (await data.findInconsistencies()).filter(({ kind }) => kind === "runs").flatMap(({ names }) => names);

/** Starts a run of the project atlas. @returns its id */
export async function startRun(data: Data): Promise<string> {
  const run_id = crypto.randomUUID();
  await data.append([runEvent({ run_id, kind: "run.started", issue: 7, pr: 7 })]);
  return run_id;
}

/**
 * Nodes on a Postgres that is a network away, whose clocks differ, and whose connections are killed now and
 * then. Each appends to a project of its own and to one that all share. A poller of each node misses nothing,
 * what was acknowledged is there once, and the runs are those of the events.
 */
import { expect, test } from "bun:test";
import { SQL } from "bun";
import { openData } from "../../db/open.ts";
import type { Data } from "../../src/api/port.ts";
import { toMicros } from "../../src/core/lib/time.ts";
import { Problem } from "../../src/core/problem.ts";
import { readEvent, renderEvent } from "../../src/feed/render-event.ts";
import type { Appendable } from "../../src/feed/rows.ts";
import type { Event, EventKind, EventRow } from "../../src/feed/schema.ts";
import { event, link, migratedDatabase, must, rowsOf, sentKey } from "../support/harness.ts";
import { reached, times } from "./promises.ts";
import { startProxy } from "./proxy.ts";

const total = times("distantAppends");
const clockLagsMs = [0, 1_500, -40];
const delayMs = 2;
const pageLength = 20;
/** Connections of any node are killed after this many appends of all. */
const appendsPerKill = 12;
const kinds: EventKind[] = [
  ...(["step.usage", "step.usage", "step.usage", "run.started"] as const),
  ...(["run.finished", "issue.opened", "issue.closed"] as const),
];

/** Anything that an agent of few sends about a task of few, the same for the same number. */
function numbered(node: number, number: number): Appendable {
  const dice = Bun.hash.crc32(`${node} ${number}`);
  const isNamed = dice % 10 < 6;
  return event({
    kind: must(kinds[dice % kinds.length]),
    dedupe_key: `${node}-${number}`,
    project: number % 6 === 0 ? "shared" : `own-${node}`,
    actor: `agent:${dice % 3}`,
    issue: 1 + (dice % 4),
    summary: `step ${number}`,
    cost_equiv: 0.25,
    duration_ms: dice % 2 ? dice % 100 : null,
    ...(isNamed && { run_id: `run-${dice % 5}`, payload: timeOf(dice) }),
  });
}

/** The time of a sender whose clock is a little off, or none. */
const timeOf = (dice: number) =>
  dice % 3 ? {} : { ts: new Date(Date.now() + (dice % 40) - 20).toISOString() };

/**
 * Appends its share, one to three at a time; what is not acknowledged is sent again.
 * @param onAppended called after each append @returns the keys
 */
async function write(
  data: Data,
  node: number,
  share: number,
  onAppended: () => Promise<void>,
): Promise<string[]> {
  const keys: string[] = [];
  for (let sent = 0; sent < share; ) {
    const events = Array.from({ length: Math.min(share - sent, 1 + (sent % 3)) }, (_, index) =>
      numbered(node, sent + index),
    );
    try {
      await data.append(events);
    } catch (error) {
      if (error instanceof Problem && error.status === 503) continue;
      throw error;
    }
    keys.push(...events.map(({ dedupe_key }) => must(dedupe_key)));
    sent += events.length;
    await onAppended();
  }
  return keys;
}

/** Reads what is newer than the newest event it has, until `isOver`, and then once more. */
async function poll(data: Data, isOver: () => boolean): Promise<Event[]> {
  const found: Event[] = [];
  for (let isLast = false; ; ) {
    const newest = found.at(-1);
    const page = await data
      .feed(null, { limit: pageLength, order: "oldest first", after: newest ? toMicros(newest.ts) : 0 })
      .catch(() => null);
    for (const { wire } of page ?? []) found.push(JSON.parse(wire) as Event);
    if (page?.length === 0 && isLast) return found;
    isLast = isOver();
  }
}

test(`${total} events of three nodes, over connections that are killed: pollers miss none, none is there twice`, async () => {
  await using database = await migratedDatabase("postgres");
  const { hostname, port } = new URL(database.url);
  await using line = await startProxy({ hostname, port: Number(port) });
  const url = new URL(database.url);
  url.host = `127.0.0.1:${line.port}`;
  const nodes = await Promise.all(
    clockLagsMs.map((lag) => openData(url.href, { now: () => (Date.now() + lag) * 1000, log() {} })),
  );
  for (const slug of ["shared", ...nodes.keys().map((node) => `own-${node}`)])
    await link(must(nodes[0]), slug);
  line.fault({ delayMs });
  let isOver = false;
  const polling = nodes.map((node) => poll(node, () => isOver));
  const admin = new SQL(database.url, { max: 1 });
  let appends = 0;
  const killSome = async () => {
    if (++appends % appendsPerKill > 0) return;
    await admin`select pg_terminate_backend(pid) from (select pid from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() order by random() limit 5) as chosen`;
  };
  const share = Math.ceil(total / nodes.length);
  const writing = nodes.map((node, index) => write(node, index, share, killSome));
  const acknowledged = (await Promise.all(writing)).flat();
  isOver = true;
  await admin.close();
  const polled = await Promise.all(polling);
  const rows = await rowsOf(database.url, "select * from events order by ts");
  const wires = rows.map(({ wire }) => JSON.parse(wire as string));
  expect(rows.map(({ id }) => Number(id))).toEqual(
    rows
      .keys()
      .map((index) => index + 1)
      .toArray(),
  );
  expect(rows.map(({ dedupe_key }) => sentKey(dedupe_key)).toSorted()).toEqual(acknowledged.toSorted());
  expect(rows.map(({ wire }) => wire)).toEqual(rows.map((row) => renderEvent(toEventRow(row))));
  for (const events of polled) expect(events).toEqual(wires);
  expect(await must(nodes[0]).findInconsistencies()).toEqual([]);
  await Promise.all(nodes.map((node) => node.close()));
  reached("distantAppends", total);
}, 600_000);

/** Postgres returns a bigint as text. */
const toEventRow = ({ id, ts, wire }: Record<string, unknown>): EventRow => ({
  ...readEvent({ ts: Number(ts), wire: wire as string }),
  id: Number(id),
});

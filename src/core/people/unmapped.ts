/**
 * Identities of no person. What is stored of them is a count, unless an admin lets the project keep them to
 * map them. Counted in memory, and written some seconds later: telemetry names one with every request.
 */
import type { Audit } from "../audit/port.ts";
import type { CoreContext } from "../context.ts";
import { perObject } from "../lib/cache.ts";
import type { CoreReads } from "../port.ts";
import type { UnmappedRow } from "../rows.ts";

const flushMs = 5_000;
/** Identities that are kept: a sender may make them up. */
const keptMax = 1_000;

type Needs = Pick<CoreContext, "audit" | "data" | "now">;

interface Counts {
  rows: Map<string, UnmappedRow>;
  timer: Timer | undefined;
  /** The last write, after which the next one begins. */
  written: Promise<void>;
}

/** Of a process, which has one audit log; a request can have a data port of its own. */
const countsOf = perObject(
  (_: Audit): Counts => ({ rows: new Map(), timer: undefined, written: Promise.resolve() }),
);

/** Counts an event of an identity. */
export function countUnmapped(ctx: Needs, project: string, identity: string): void {
  const counts = countsOf(ctx.audit);
  const at = ctx.now();
  const key = `${project} ${identity}`;
  const known = counts.rows.get(key);
  if (known) known.events++;
  const row = known ?? {
    project,
    identity: counts.rows.size < keptMax ? identity : "",
    events: 1,
    last_at: at,
  };
  row.last_at = at;
  counts.rows.set(key, row);
  // a write that fails is tried again with the next
  counts.timer ??= setTimeout(() => void writeUnmapped(ctx).catch(() => {}), flushMs).unref();
}

/** Writes what was counted; `unmappedIdentities` has all of this process then. */
export function writeUnmapped({ audit, data }: Needs): Promise<void> {
  const counts = countsOf(audit);
  clearTimeout(counts.timer);
  counts.timer = undefined;
  counts.written = counts.written.catch(() => {}).then(() => writeCounts(data, counts));
  return counts.written;
}

async function writeCounts(data: Needs["data"], counts: Counts): Promise<void> {
  if (counts.rows.size === 0) return;
  const rows = [...counts.rows.values()];
  counts.rows = new Map();
  await data.atomically(async (writes) => {
    const known = (await writes.unmappedIdentities()).length;
    const listing = new Set<string>();
    for (const project of new Set(rows.map((row) => row.project)))
      if (known < keptMax && (await keepsUnmapped(writes, project))) listing.add(project);
    // In one order, so that two servers cannot lock rows against each other.
    const inOrder = rows.toSorted((a, b) =>
      `${a.project} ${a.identity}` < `${b.project} ${b.identity}` ? -1 : 1,
    );
    const stored = inOrder.map((row) => (listing.has(row.project) ? row : { ...row, identity: "" }));
    await writes.countUnmapped(stored);
  });
}

/** The setting of a project. */
export const keepSetting = (project: string): string => `keep unmapped identities of ${project}`;

const keepsUnmapped = async (data: Pick<CoreReads, "setting">, project: string): Promise<boolean> =>
  project !== "" && (await data.setting(keepSetting(project))) === "1";

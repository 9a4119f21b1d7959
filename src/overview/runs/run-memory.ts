/** What runs were told and searched for: stored when a caller names its run, and deleted later. */
import type { Caller } from "../../core/auth/caller.ts";
import { fromMicros, toMicros } from "../../core/lib/time.ts";
import { badRequest, notFound } from "../../core/problem.ts";
import { requireProject } from "../../feed/projects/projects.ts";
import type { GivenBrief, RecordedBrief } from "../../feed/runs/schema.ts";
import { recall } from "../../memory/recall/recall.ts";
import type { Recalled, RecallQuery } from "../../memory/recall/schema.ts";
import { compileBrief } from "../brief/brief.ts";
import type { Brief, BriefQuery } from "../brief/schema.ts";
import type { OverviewContext } from "../context.ts";
import type { OverviewWrites } from "../port.ts";

/** The longest query that is stored, in characters. */
const queryMax = 1_000;

/** Builds a brief, and stores what the run that asks was told. Throws like `brief`. */
export async function briefForRun(ctx: OverviewContext, query: BriefQuery, caller: Caller): Promise<Brief> {
  const { brief, decisions } = await compileBrief(ctx, query, caller);
  const { project, text, chars } = brief;
  const hash = new Bun.CryptoHasher("sha256").update(text).digest("hex");
  await record(ctx, caller, query.run_id, (writes, run_id) =>
    writes.addBrief({ project, run_id, at: ctx.now(), hash, text, chars, decisions }),
  );
  return brief;
}

/**
 * Stores that a run was given a brief which its client had fetched before: the text and its decisions are
 * those that the service sent then.
 * @throws 404 if the service sent no brief with this hash to `from`, or deleted its text
 */
export async function recordBrief(
  { data, now }: Pick<OverviewContext, "data" | "now">,
  { id: run_id, project: slug, hash, from, ts }: GivenBrief,
  caller: Pick<Caller, "projects">,
): Promise<RecordedBrief> {
  const { slug: project } = await requireProject(data, slug, caller);
  const sent = await data.briefByHash({ project, id: from }, hash);
  if (!sent || sent.text === null) throw notFound(`No brief with this hash was sent to ${from}.`);
  const { text, chars, decisions } = sent;
  const at = ts === undefined ? now() : Math.min(toMicros(ts), now());
  await data.atomically((writes) => writes.addBrief({ project, run_id, at, hash, text, chars, decisions }));
  return { run_id, project, hash, chars, at: fromMicros(at) };
}

/** Searches memory, and stores what the run that asks searched for. Throws like `recall`. */
export async function recallForRun(
  ctx: OverviewContext,
  input: RecallQuery,
  caller: Caller,
): Promise<Recalled> {
  const { run_id, project } = input;
  if (run_id !== undefined && project === undefined)
    throw badRequest("run_id needs project: a run belongs to one.");
  const recalled = await recall(ctx, input, caller);
  const query = input.query.slice(0, queryMax);
  await record(ctx, caller, run_id, (writes, run_id) =>
    writes.addRecall({ project: project as string, run_id, at: ctx.now(), query, hits: recalled.count }),
  );
  return recalled;
}

/**
 * Writes for a caller with a token that names its run. The answer does not depend on it: a database that
 * takes no writes still answers reads.
 */
async function record(
  { data, config, log }: OverviewContext,
  { name }: Pick<Caller, "name">,
  run_id: string | undefined,
  write: (writes: OverviewWrites, run_id: string) => Promise<void>,
): Promise<void> {
  if (run_id === undefined || name === null || config.mock) return;
  try {
    await data.atomically((writes) => write(writes, run_id));
  } catch (error) {
    log("warn", "what a run was told was not stored", { error: String(error) });
  }
}

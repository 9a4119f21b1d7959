/** The end of a run: its outcome, duration and cost, what it made, and what of it waits for review. */
import { formatCost, formatDuration, pluralize } from "../../../../core/lib/quantities.ts";
import { toMicros } from "../../../../core/lib/time.ts";
import type { RunRow } from "../../../../feed/rows.ts";
import { runUrl } from "../../../../feed/runs/page-url.ts";
import { ruleKey } from "../../../../feed/runs/rule.ts";
import { lostBefore, statusOf } from "../../../../feed/runs/runs.ts";
import type { Event } from "../../../../feed/schema.ts";
import type { IntegrationsContext } from "../../../context.ts";
import { taskOf } from "./asset-notices.ts";
import { cleanActor, cleanQuote, type Notice } from "./notice.ts";

/** The run of an event; null for one without a project, or whose run is not kept. */
export async function runOf(
  { data }: Pick<IntegrationsContext, "data">,
  event: Event,
): Promise<RunRow | null> {
  const { project, run_id, ts } = event;
  if (project === null) return null;
  return run_id
    ? data.run([project], project, run_id)
    : data.ruleRunAt(project, ruleKey(event), toMicros(ts));
}

/** The most assets of a run that are looked at. */
const assetsMax = 200;

async function madeFacts({ data }: Pick<IntegrationsContext, "data">, run: RunRow): Promise<string[]> {
  const waiting =
    run.assets > 0
      ? (await data.runAssets(run, assetsMax)).filter(({ status }) => status === "pending").length
      : 0;
  const made = [
    ...(run.assets > 0 ? [pluralize(run.assets, "asset")] : []),
    ...(run.decisions > 0 ? [pluralize(run.decisions, "decision")] : []),
  ];
  return [
    ...(made.length > 0 ? [`Made ${made.join(" and ")}`] : []),
    ...(waiting > 0 ? [`${waiting} ${waiting === 1 ? "waits" : "wait"} for review`] : []),
  ];
}

/** A run that stopped reporting; null once it reports again. */
export async function lostNotice(ctx: IntegrationsContext, event: Event): Promise<Notice | null> {
  const run = await runOf(ctx, event);
  if (run && statusOf(run, lostBefore(ctx)) !== "lost") return null;
  const notice = await runNotice(ctx, event);
  const [task] = taskOf(event);
  return { ...notice, tone: "bad", title: `Run lost${task ? ` on ${task}` : ""}` };
}

/** A run whose agent asks for permission or input; null once it goes on. */
export async function waitingNotice(ctx: IntegrationsContext, event: Event): Promise<Notice | null> {
  const run = await runOf(ctx, event);
  if (run && run.status !== "waiting") return null;
  const notice = await runNotice(ctx, event);
  const [task] = taskOf(event);
  return { ...notice, tone: "warning", title: `An agent waits for an answer${task ? ` on ${task}` : ""}` };
}

/** A run that finished or failed; the cause of a failure is the summary of its end. */
export async function runNotice(ctx: IntegrationsContext, event: Event): Promise<Notice> {
  const run = await runOf(ctx, event);
  const isFailure = event.kind === "run.failed";
  const [task] = taskOf(event);
  const duration = event.duration_ms ?? run?.duration_ms ?? null;
  const cost = run?.cost_equiv || event.cost_equiv;
  return {
    tone: isFailure ? "bad" : "good",
    title: `${isFailure ? "Run failed" : "Run finished"}${task ? ` on ${task}` : ""}`,
    facts: [
      cleanActor(ctx, event.actor),
      ...(duration === null ? [] : [formatDuration(duration)]),
      ...(cost ? [formatCost(cost)] : []),
      ...(run ? await madeFacts(ctx, run) : []),
    ],
    quote: cleanQuote(event.summary),
    link: run && { label: "Open the run", url: ctx.config.siteUrl + runUrl(run) },
    image: null,
  };
}

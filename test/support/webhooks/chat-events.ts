/** Events of every kind that chat messages tell of, about things with a given text. */

import { adminCaller } from "../../../src/core/auth/caller.ts";
import { dayMicros, minuteMicros } from "../../../src/core/lib/time.ts";
import type { Appendable } from "../../../src/feed/rows.ts";
import type { Event } from "../../../src/feed/schema.ts";
import type { Message } from "../../../src/integrations/webhooks/formats/format.ts";
import { formats } from "../../../src/integrations/webhooks/formats/formats.ts";
import type { FormatName } from "../../../src/integrations/webhooks/schema.ts";
import { annotate } from "../../../src/library/annotations/annotate.ts";
import { respond } from "../../../src/library/annotations/respond.ts";
import { assetPageUrl } from "../../../src/library/assets/page-url.ts";
import { assetEvent, type NewAsset } from "../../../src/library/assets/versions.ts";
import type { AssetRow } from "../../../src/library/rows.ts";
import { reviewAsset } from "../../../src/library/verdicts/review.ts";
import { recordDecision } from "../../../src/memory/decisions.ts";
import { type Library, openLibrary } from "../library.ts";

/** A site that services on the internet can load images from. */
export const openChatLibrary = (dialect: "sqlite" | "postgres" = "sqlite"): Promise<Library> =>
  openLibrary(dialect, "disk", { SVC_SITE_URL: "https://svc.example.org" });

const human = { ...adminCaller, actor: "human:ana" };

/** What has been appended since this id, oldest first. */
export async function eventsAfter({ ctx }: Library, id: number): Promise<Event[]> {
  const rows = await ctx.data.feed(null, { order: "oldest first", after: 0, limit: 5000 });
  return rows.map(({ wire }): Event => JSON.parse(wire)).filter((event) => event.id > id);
}

export const newestId = async (library: Library): Promise<number> =>
  (await eventsAfter(library, 0)).at(-1)?.id ?? 0;

/** A request for a review of an asset, and a reminder of it. */
async function askForReview({ ctx }: Library, asset: AssetRow, question: string): Promise<void> {
  const { id, project, sha256 } = asset;
  const at = ctx.now();
  await ctx.data.atomically(async (writes) => {
    await writes.saveReviewRequest({
      ...{ asset: id, project, sha256, asked_by: "agent:codex", reviewers: ["ana", question.slice(0, 40)] },
      ...{ question, created_at: at, due_at: at + dayMicros },
      ...{ remind_at: null, reminders: 0, reminded_at: null },
    });
    const event = (kind: "review.requested" | "review.overdue") =>
      assetEvent(ctx.config, kind, asset, "agent:codex", question);
    await writes.append([event("review.requested"), event("review.overdue")]);
  });
}

/** Annotations, a reply, and a mark that is addressed in the next version, which is rejected with another. */
async function annotateAndReject({ ctx, plant }: Library, given: Partial<NewAsset>, text: string) {
  const first = await plant(given);
  const body = text.slice(0, 1000).toWellFormed();
  await annotate(ctx, { id: first.id, body }, human);
  const { id } = await plant(given, first.id);
  const agent = { ...adminCaller, actor: "agent:codex" };
  await respond(ctx, { id, n: 1, state: "addressed", reply: body }, agent);
  await annotate(ctx, { id, body, target: { page: 3 } }, human);
  await reviewAsset(ctx, { id, decision: "rejected", note: `z ${text}` }, human);
}

/** What svc itself tells: a budget is spent, and a webhook is paused. */
const serviceEvents = ({ ctx }: Library, text: string): Appendable[] => [
  { kind: "budget.reached", actor: "bot:svc", summary: `Budget '${text}' is at 80%: $160.20 of $200` },
  { kind: "budget.reached", actor: "bot:svc", summary: `Budget '${text}' is spent: $200 of $200` },
  {
    ...{ kind: "webhook.paused", actor: "bot:svc", summary: `Paused webhook ${text}` },
    url: `${ctx.config.siteUrl}/settings/webhooks/1`,
  },
];

/**
 * An upload, annotations, a review that is asked for, rejections, an approval, a publication, a decision, a run that ends
 * each way, a budget, and a paused webhook.
 */
export async function eventsAbout(library: Library, text: string): Promise<Event[]> {
  const { ctx } = library;
  const before = await newestId(library);
  const given = { title: text, has_thumb: true, issue: 12, created_by: "agent:codex" };
  const plant = () => library.plant(given);
  await plant();
  const rejected = await plant();
  await reviewAsset(ctx, { id: rejected.id, decision: "rejected", note: `x ${text}` }, human);
  const approved = await plant();
  await reviewAsset(ctx, { id: approved.id, decision: "approved", note: text }, human);
  await annotateAndReject(library, given, text);
  await askForReview(library, await plant(), text);
  const ofRun = { project: "atlas", actor: "agent:codex", issue: 12 };
  await ctx.data.atomically(async (writes) => {
    await writes.append([
      assetEvent(ctx.config, "asset.published", approved, "human:ana", `Published ${text}`),
    ]);
    await recordDecision(
      writes,
      { project: "atlas", text: `y ${text}`, source: "page" },
      "human:ana",
      ctx.now(),
    );
    await writes.append(serviceEvents(library, text).map((event) => ({ project: "atlas", ...event })));
    for (const kind of ["run.finished", "run.failed"] as const) {
      const run_id = `${kind}-${before}`;
      await writes.append([
        { ...ofRun, kind: "run.started", run_id, summary: "Started" },
        { ...ofRun, kind, run_id, summary: text, duration_ms: 61_000, cost_equiv: 0.42 },
      ]);
    }
  });
  return eventsAfter(library, before);
}

/** The message of a format for these events, long after they happened; null for none. */
export async function messageOf(
  { ctx, clock }: Library,
  name: FormatName,
  events: readonly Event[],
): Promise<Message | null> {
  clock.advance(10 * minuteMicros);
  const plan = await formats[name].plan(ctx, events, { lastSentAt: null });
  return plan.action === "send" ? plan.message : null;
}

/** Sends a message as the delivery does. @returns whether the service took it, and its answer */
export async function post(name: FormatName, url: string, message: Message): Promise<string> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": message.contentType, ...message.headers },
    body: message.body,
  });
  const answer = { status: response.status, retryAfterMs: null, body: await response.text() };
  return formats[name].outcome?.(answer).ok ? "taken" : `${answer.status} ${answer.body}`;
}

export const pageOf = ({ ctx }: Library, id: string): string => assetPageUrl(ctx.config, id);

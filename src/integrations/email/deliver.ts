/**
 * Sends the digests that are due, once for each period. A process claims a digest before it sends it, so that
 * only one does. The claim expires, because the process may die: the digest is then sent again (at least
 * once), with the same Message-ID, by which mail servers and clients recognize a repetition.
 */

import type { Caller } from "../../core/auth/caller.ts";
import { dayMicros, fromMicros, type Micros, minuteMicros } from "../../core/lib/time.ts";
import type { IntegrationsContext } from "../context.ts";
import { openOwners } from "../owners.ts";
import type { DigestRow } from "../rows.ts";
import { type Content, isQuiet, loadContent } from "./content.ts";
import { htmlBody } from "./html-body.ts";
import { emailLink } from "./links.ts";
import { type Mail, MailError, sendMail } from "./mailer.ts";
import type { DigestPeriod } from "./schema.ts";

import { subjectOf, textBody } from "./words.ts";

/** Longer than an attempt can take. */
const claimMicros = 10 * minuteMicros;
const batchMax = 50;
/** Waits between attempts; the last one repeats. */
const retryMinutes = [1, 5, 15, 60, 180, 360];

type Outcome = "sent" | "quiet" | "said quiet" | "no owner";

/** Sends all due digests. @returns how many mails were sent */
export async function sendDueDigests(
  ctx: IntegrationsContext,
  isRunning: () => boolean = () => true,
): Promise<number> {
  const { data } = ctx;
  let sent = 0;
  for (const row of await data.dueDigests(ctx.now(), batchMax)) {
    if (!isRunning()) break;
    if (!(await data.atomically((writes) => writes.claimDigest(row, ctx.now() + claimMicros)))) continue;
    if (await attempt(ctx, row)) sent++;
  }
  return sent;
}

/** @returns whether a mail was sent */
async function attempt(ctx: IntegrationsContext, row: DigestRow): Promise<boolean> {
  // After an outage one digest covers all periods that ended meanwhile.
  const to = lastEnd(row.period, row.hour, ctx.now());
  try {
    const outcome = await sendDigest(ctx, row, { to, isExtra: false });
    await ctx.data.atomically((writes) => writes.changeDigest(row.id, afterOutcome(ctx, row, to, outcome)));
    return outcome === "sent" || outcome === "said quiet";
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    const change = afterFailure(ctx, row, error);
    ctx.log(error.isPermanent ? "error" : "warn", "email digest failed", {
      digest: row.id,
      attempts: row.attempts + 1,
      paused: error.isPermanent,
      error: error.message,
    });
    await ctx.data.atomically((writes) => writes.changeDigest(row.id, change));
    return false;
  }
}

function afterOutcome(
  { now }: IntegrationsContext,
  row: DigestRow,
  to: Micros,
  outcome: Outcome,
): Partial<DigestRow> {
  if (outcome === "no owner")
    return { status: "paused", problem: `The token ${row.owner} was revoked or has expired.` };
  const due_at = nextEnd(row.period, row.hour, now());
  return {
    covered_until: to,
    due_at,
    next_at: due_at,
    attempts: 0,
    problem: null,
    said_quiet: outcome === "said quiet" || (outcome === "quiet" && row.said_quiet),
  };
}

function afterFailure({ now }: IntegrationsContext, row: DigestRow, error: MailError): Partial<DigestRow> {
  if (error.isPermanent) return { status: "paused", problem: error.message };
  const minutes = retryMinutes[Math.min(row.attempts, retryMinutes.length - 1)] as number;
  return { next_at: now() + minutes * minuteMicros, problem: error.message };
}

/**
 * Sends one digest of what happened since the last one, unless nothing did. A weekly digest says once that
 * nothing happened; one that was asked for by hand is always sent.
 * @throws {MailError} if the mail server does not take it
 */
export async function sendDigest(
  ctx: IntegrationsContext,
  row: DigestRow,
  { to, isExtra }: { to: Micros; isExtra: boolean },
): Promise<Outcome> {
  const owner = await callerOfOwner(ctx, row.owner);
  if (owner === null) return "no owner";
  const content = await loadContent(ctx, owner, { ...row, from: row.covered_until, to });
  const quiet = isQuiet(content) && !isExtra;
  if (quiet && (row.period === "daily" || row.said_quiet)) return "quiet";
  await sendMail(ctx.config, digestMail(ctx, row, content));
  return quiet ? "said quiet" : "sent";
}

/** The mail of a digest, as text and HTML. */
export function digestMail(ctx: IntegrationsContext, row: DigestRow, content: Content): Mail {
  const { siteUrl } = ctx.config;
  const unsubscribe = emailLink(ctx, "unsubscribe", row.id);
  const body = { content, siteUrl, unsubscribe, now: ctx.now() };
  const { hostname } = new URL(siteUrl);
  return {
    to: row.address,
    subject: subjectOf(row.period, content),
    text: textBody(body),
    html: htmlBody(body),
    messageId: `<${row.id}.${fromMicros(content.to).replace(/\D/g, "")}@${hostname}>`,
    // RFC 8058: a mail client unsubscribes with one POST, without opening the page.
    headers: {
      "List-Unsubscribe": `<${unsubscribe}>`,
      "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
      "List-Id": `<${row.project ?? "all"}.${row.period}.${hostname}>`,
    },
  };
}

/** What the owner of a digest may read now; null if its token was revoked, has expired, or is unknown. */
export async function callerOfOwner(
  ctx: Pick<IntegrationsContext, "config" | "data" | "now">,
  name: string | null,
): Promise<Caller | null> {
  const owner = (await openOwners(ctx))(name);
  return "caller" in owner ? owner.caller : null;
}

/** The periods of digests: a day or a week, which end at an hour of the day in UTC. */
const hourMicros = 60 * minuteMicros;

const lengths: Record<DigestPeriod, Micros> = { daily: dayMicros, weekly: 7 * dayMicros };

/** The epoch began on a Thursday, and a week of digests on Monday, four days later. */
const mondayMicros = 4 * dayMicros;

/** The first end of a period after `now`. */
export function nextEnd(period: DigestPeriod, hour: number, now: Micros): Micros {
  const length = lengths[period];
  const offset = hour * hourMicros + (period === "weekly" ? mondayMicros : 0);
  return (Math.floor((now - offset) / length) + 1) * length + offset;
}

/** The last end of a period, which may be `now`. */
export const lastEnd = (period: DigestPeriod, hour: number, now: Micros): Micros =>
  nextEnd(period, hour, now) - lengths[period];

/** Digests by email: who gets them. An address is subscribed once it has confirmed (double opt-in). */
import { ulid } from "ulid";
import { actionOf } from "../../core/audit/action.ts";
import type { Caller } from "../../core/auth/caller.ts";
import { ownerOf } from "../../core/auth/ownership.ts";
import { isAdmin } from "../../core/auth/permissions.ts";
import { dayMicros, fromMicros } from "../../core/lib/time.ts";
import { conflict, noProject, notFound } from "../../core/problem.ts";
import { withAuditRow } from "../../feed/audit-row.ts";
import type { IntegrationsContext, IntegrationsRule } from "../context.ts";
import { openOwners } from "../owners.ts";
import type { DigestRow } from "../rows.ts";
import { lastEnd, nextEnd, sendDigest } from "./deliver.ts";
import { confirmationMail } from "./links.ts";
import { mailProblem, requireMail, sendMail } from "./mailer.ts";
import type { EmailDigest, EmailDigestInput, EmailDigestPath, EmailDigests } from "./schema.ts";

/** Digests of one owner: each is a row that the sender checks, and a mail. */
const digestsMax = 100;
/** Those of them that wait for a confirmation: mails to addresses that did not ask for any are few. */
const pendingMax = 10;
/** Mails to confirm that one address gets in a day, from one owner and from all together. */
const confirmationsMax = 5;
const confirmationsOfAllMax = 10;
const defaultHour = 7;

/** The caller's digests; an admin sees all. */
export async function listDigests(ctx: IntegrationsContext, caller: Caller): Promise<EmailDigests> {
  const rows = await ctx.data.emailDigests(isAdmin(caller) ? undefined : { owner: ownerOf(caller) });
  return { digests: rows.map(toDigest) };
}

/** Whether the digest is the caller's own, or the caller an admin. */
const isVisible = ({ owner }: DigestRow, caller: Caller): boolean =>
  isAdmin(caller) || (owner !== null && owner === ownerOf(caller));

const toDigest = ({
  covered_until: _,
  confirmed_at: __,
  attempts: ___,
  said_quiet: ____,
  due_at: _____,
  ...row
}: DigestRow): EmailDigest => ({
  ...row,
  created_at: fromMicros(row.created_at),
  next_at: row.status === "active" ? fromMicros(row.next_at) : null,
});

/**
 * Adds a digest, and sends its address a mail with a link to confirm. An address that already got too many
 * such mails gets none, which is not said: it would tell what others asked for.
 * @throws {Problem} 501 without a mail server, 404 for an unknown project, 409 if there is such a digest, 400
 * or 503 if the mail server does not take the mail
 */
export const addDigest: IntegrationsRule<EmailDigestInput, EmailDigest> = async (ctx, input, caller) => {
  requireMail(ctx.config);
  const { address, period, hour = defaultHour, project = null } = input;
  if (project !== null && !(await ctx.data.project(caller.projects, project))) throw noProject(project);
  const owner = ownerOf(caller);
  if ("ended" in (await openOwners(ctx))(owner))
    throw conflict("A digest shows what a token may read. Sign in with a token or a link to add one.");
  const at = ctx.now();
  const due_at = nextEnd(period, hour, at);
  const row: DigestRow = {
    id: ulid(Math.floor(at / 1_000)),
    address,
    period,
    hour,
    project,
    owner,
    status: "pending",
    problem: null,
    created_at: at,
    confirmed_at: null,
    covered_until: lastEnd(period, hour, at),
    due_at,
    next_at: due_at,
    attempts: 0,
    said_quiet: false,
  };
  const confirmations = await ctx.data.atomically(async (writes) => {
    requireNew(row, await writes.emailDigests(row));
    const owners = await writes.digestOwnersOf(address, at - dayMicros);
    if (owners.filter(({ owner }) => owner === row.owner).length >= confirmationsMax)
      throw conflict(
        `You asked ${address} to confirm ${confirmationsMax} digests today. Try again tomorrow.`,
      );
    await writes.addDigest(row);
    return owners.length;
  });
  if (confirmations < confirmationsOfAllMax) await sendConfirmation(ctx, row);
  else ctx.log("warn", "an email digest was added without a mail to confirm it", { digest: row.id });
  return toDigest(row);
};

async function sendConfirmation(ctx: IntegrationsContext, row: DigestRow): Promise<void> {
  try {
    await sendMail(ctx.config, confirmationMail(ctx, row));
  } catch (error) {
    await ctx.data.atomically((writes) => writes.deleteDigest(row.id));
    throw mailProblem(error);
  }
}

/** @param existing those of the same owner: what others added is not told */
function requireNew(row: DigestRow, existing: DigestRow[]): void {
  const keyOf = ({ address, period, project }: DigestRow) =>
    JSON.stringify([address.toLowerCase(), period, project]);
  if (existing.some((one) => keyOf(one) === keyOf(row)))
    throw conflict(`${row.address} has this digest already. Remove it first, or wait for its confirmation.`);
  if (existing.length >= digestsMax) throw conflict(`You have ${digestsMax} digests. Remove some first.`);
  if (existing.filter(({ status }) => status === "pending").length >= pendingMax)
    throw conflict(`${pendingMax} of your digests wait for a confirmation. Wait for one, or remove one.`);
}

/** @throws {Problem} 404 if there is none that the caller may see */
export const removeDigest: IntegrationsRule<EmailDigestPath, { id: string; removed: true }> = async (
  ctx,
  { id },
  caller,
) => {
  await requireDigest(ctx, id, caller);
  await ctx.data.atomically((writes) => writes.removeDigest(id));
  return { id, removed: true };
};

/**
 * Sends what happened since the last digest now, in addition to the next one. A paused digest whose mail is
 * taken is active again.
 * @throws {Problem} 404, 409 for one that is not confirmed, 400 or 503 if the mail server does not take it
 */
export const sendDigestNow: IntegrationsRule<EmailDigestPath, { id: string; sent: true }> = async (
  ctx,
  { id },
  caller,
) => {
  requireMail(ctx.config);
  const row = await requireDigest(ctx, id, caller);
  if (row.confirmed_at === null) throw conflict(`${row.address} has not confirmed this digest yet.`);
  const isOwned = await sendDigest(ctx, row, { to: ctx.now(), isExtra: true }).catch((error) => {
    throw mailProblem(error);
  });
  if (isOwned === "no owner") throw conflict("The token that owns this digest was revoked or has expired.");
  await ctx.data.atomically((writes) => writes.changeDigest(id, { status: "active", problem: null }));
  return { id, sent: true };
};

async function requireDigest(ctx: IntegrationsContext, id: string, caller: Caller): Promise<DigestRow> {
  const row = await ctx.data.emailDigest(id);
  if (!row || !isVisible(row, caller)) throw notFound(`No digest with id '${id}'.`);
  return row;
}

/**
 * Subscribes an address whose reader confirmed.
 * @throws {Problem} 404 if the digest was removed, or not confirmed in time
 */
export async function confirmDigest(ctx: IntegrationsContext, id: string, caller: Caller): Promise<void> {
  const found = await ctx.data.emailDigest(id);
  if (found && found.status !== "pending") return;
  await readerContext(ctx, "confirmEmailDigest", caller).data.atomically(async (writes) => {
    const row = await writes.emailDigest(id);
    if (!row) throw notFound("This digest was removed, or not confirmed in time. Ask for it again.");
    const at = ctx.now();
    const due_at = nextEnd(row.period, row.hour, at);
    await writes.changeDigest(id, {
      status: "active",
      confirmed_at: at,
      due_at,
      next_at: due_at,
      covered_until: lastEnd(row.period, row.hour, at),
    });
    return { id, project: row.project };
  });
}

/** Ends a digest; it may be gone already. */
export async function unsubscribe(ctx: IntegrationsContext, id: string, caller: Caller): Promise<void> {
  const row = await ctx.data.emailDigest(id);
  if (!row) return;
  await readerContext(ctx, "unsubscribeEmailDigest", caller).data.atomically(async (writes) => {
    await writes.removeDigest(id);
    return { id, project: row.project };
  });
}

/** A context that audits what the reader of a mail does with its link. */
const readerContext = (ctx: IntegrationsContext, what: string, caller: Caller): IntegrationsContext =>
  withAuditRow(ctx, actionOf(caller, what));

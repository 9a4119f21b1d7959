/** Waits for reviews: a bounded, parked request that a review wakes, and that continues with a cursor. */
import { isStillAuthorized } from "../../core/auth/authentication.ts";
import { requireToken } from "../../core/auth/authorization.ts";
import { anonymous, type Caller } from "../../core/auth/caller.ts";
import type { RequestControl } from "../../core/context.ts";
import type { TagData } from "../../core/lib/strings/untrusted-text.ts";
import { badRequest, noAsset } from "../../core/problem.ts";
import type { LibraryContext } from "../context.ts";
import type { ReviewState } from "../rows.ts";
import { loadApprovals } from "../verdicts/approvals.ts";
import type { Approvals } from "../verdicts/schema.ts";
import { enterParked, reviewChanges } from "./review-changes.ts";
import { type ReviewWait, type WaitInput, waitSecondsDefault, waitSecondsMax } from "./wait-schema.ts";
import { type AnswerOptions, loadSetAnswer, loadSetItems, toItem, waitCursor } from "./wait-set.ts";

/** Parked calls of one token: several agents share it, but each wait covers up to 20 assets or a set. */
const parkedMax = 8;
/** The rows are read again this often in case a wake-up was lost, and the client hears of progress. */
const recheckMs = 15_000;

/**
 * The reviews of these assets: immediately if one is new to the cursor or all are decided, else once one is
 * reviewed or replaced, or after the timeout. It also returns when the client disconnects or the process
 * stops. Of a variant set: once all variants are decided or, with a cursor, one more is.
 * @throws {Problem} 400 unless it names assets or a set, 404 for an unknown one, 401 if the token was revoked
 *   meanwhile, 429 with too many waits
 */
export async function waitForReview(
  ctx: LibraryContext,
  { ids, project, set, after, timeout_s = waitSecondsDefault }: WaitInput,
  caller: Caller,
  control: RequestControl = {},
): Promise<ReviewWait> {
  const applied = Math.min(timeout_s, waitSecondsMax);
  const load = (): Promise<ReviewWait> => {
    if (ids && project === undefined && set === undefined)
      return loadAnswer(ctx, [...new Set(ids)], caller, { applied, after });
    if (!ids && project !== undefined && set !== undefined)
      return loadSetAnswer(ctx, { project, set }, caller, { applied, after });
    throw badRequest("Name what to wait for: either ids, or a project and a set.");
  };
  const finish = async (answer: ReviewWait): Promise<ReviewWait> =>
    project !== undefined && set !== undefined
      ? { ...answer, items: await loadSetItems(ctx, project, set) }
      : answer;
  const answer = await load();
  if (answer.state !== "pending" || applied === 0) return finish(answer);
  const leave = enterParked(ctx.feedNotifier, "waits", caller, parkedMax);
  const later = await park(ctx, { ids, load }, applied * 1000, control).finally(leave);
  if (!(await isStillAuthorized(caller, ctx))) requireToken({ ...anonymous, isInvalid: true }, ctx.config);
  return finish(later);
}

async function loadAnswer(
  ctx: LibraryContext,
  ids: string[],
  caller: Caller,
  { applied, after }: AnswerOptions,
): Promise<ReviewWait> {
  const states = await readStates(ctx, ids, caller);
  const answer = toAnswer(ctx.config, states, await loadApprovals(ctx.data, states), applied, after);
  return { ...answer, next: nextStep(answer.state, answer.items) };
}

/** Loads the answer after each change until it is not pending any more, or until time is up. */
async function park(
  { feedNotifier, data }: LibraryContext,
  { ids, load }: { ids: readonly string[] | undefined; load(): Promise<ReviewWait> },
  timeoutMs: number,
  { signal, reportProgress }: RequestControl,
): Promise<ReviewWait> {
  let changed = Promise.withResolvers<void>();
  const wake = () => changed.resolve();
  const startedAt = performance.now();
  const isOver = () =>
    feedNotifier.closed || signal?.aborted || performance.now() - startedAt >= timeoutMs - 1;
  // While all are pending, so is the answer, which takes longer to load (`bun run bench agents`).
  const hasChanged = async () => !ids || (await data.settledReviews([...new Set(ids)])).length > 0;
  const unsubscribe = await reviewChanges(feedNotifier, data).subscribe(wake, ids);
  const timeout = setTimeout(wake, timeoutMs);
  const recheck = setInterval(() => {
    reportProgress?.(
      Math.round((performance.now() - startedAt) / 1000),
      timeoutMs / 1000,
      "Waiting for the review",
    );
    wake();
  }, recheckMs);
  signal?.addEventListener("abort", wake);
  try {
    for (;;) {
      changed = Promise.withResolvers(); // before the read, so a review during it wakes the next round
      if (isOver() || (await hasChanged())) {
        const answer = await load();
        if (answer.state !== "pending" || isOver()) return answer;
      }
      await changed.promise;
    }
  } finally {
    unsubscribe();
    clearTimeout(timeout);
    clearInterval(recheck);
    signal?.removeEventListener("abort", wake);
  }
}

async function readStates(
  { data }: LibraryContext,
  ids: string[],
  { projects }: Caller,
): Promise<ReviewState[]> {
  const found = new Map((await data.reviewStates(projects, ids)).map((state) => [state.id, state]));
  return ids.map((id) => {
    const state = found.get(id);
    if (!state) throw noAsset(id);
    return state;
  });
}

function toAnswer(
  config: LibraryContext["config"],
  states: ReviewState[],
  approvals: ReadonlyMap<string, Approvals>,
  timeout_applied: number,
  after: string | undefined,
): Omit<ReviewWait, "next"> {
  const cursor = cursorOf(states);
  const settled = states.filter(({ status }) => status !== "pending");
  const isOver = settled.length === states.length || (settled.length > 0 && cursor !== after);
  const isDecided = settled.some(({ status }) => status !== "superseded");
  const state = !isOver ? "pending" : isDecided ? "decided" : "gone";
  const items = states.map((one) => toItem(config, one, approvals.get(one.id)));
  return { state, timeout_applied, cursor, items };
}

/** Identifies what was reviewed and when: it changes with each review, also with a second one. */
const cursorOf = (states: ReviewState[]): string =>
  waitCursor(states.map(({ id, status, reviewed_at }) => `${id} ${status} ${reviewed_at}\n`));

function nextStep(state: ReviewWait["state"], items: ReviewWait["items"]): string {
  const pending = items.find(({ status }) => status === "pending");
  if (state === "pending")
    return (
      `Still pending, which is not an approval. A person reviews it at ${pending?.review_url}. ` +
      "Call again with this cursor, or go on with other work and check later."
    );
  const has = (...wanted: ReviewState["status"][]) => items.some(({ status }) => wanted.includes(status));
  return [
    has("rejected") &&
      "Rejected: make the changes of the note and of the annotations (svc_asset_get, whose image " +
        "shows them), upload a new version that replaces it, and ask again.",
    has("superseded") && "A newer version replaced an asset: wait for the review of the new version.",
    has("pending") && "Others are still pending: call again with this cursor.",
    !has("rejected", "superseded", "pending") && "Approved. Go on.",
  ]
    .filter(Boolean)
    .join(" ");
}

/** The answer for a model: `next` is text of svc, to be followed, so it stands outside of the data tags. */
export const waitText = ({ next, ...answer }: ReviewWait, enclose: TagData): string =>
  `${enclose("the authors named in it", JSON.stringify(answer))}\n\n${next}`;

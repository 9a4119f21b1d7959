/** `svc asset wait`: waits until assets are reviewed. */

import { defineCommand } from "citty";
import { escapeControls } from "../../../src/core/lib/strings/display-text.ts";
import { secondMicros } from "../../../src/core/lib/time.ts";
import { type ApiAccess, apiFlags, openApi } from "../../api.ts";
import { ApiError, type Schemas, unwrap } from "../../client/client.ts";
import { printLine, textFlag } from "../../command.ts";
import { CommandError } from "../../command-errors.ts";
import { parseDuration } from "../../output/duration.ts";
import { note } from "../../output/report.ts";
import { currentProject, currentProjectFlag } from "../../repository/current-project.ts";

type Asset = Schemas["AssetDetail"];

const exitCodes = { approved: 0, rejected: 1, timeout: 3 } as const;
type Outcome = keyof typeof exitCodes;

/** Ids of one request. */
const idsMax = 20;

export default defineCommand({
  meta: {
    name: "wait",
    description:
      "Wait for reviews: exits 0 if all are approved, 1 if one is rejected, 3 after the timeout; of a set " +
      "0 if a variant was picked",
  },
  args: {
    id: { type: "positional", required: false, valueHint: "…", description: "Asset IDs, or --set" },
    set: { type: "string", description: "Wait until a variant set is decided", valueHint: "name" },
    ...currentProjectFlag,
    timeout: textFlag("How long to wait, such as 30m or 2h (default: forever)", "time"),
    ...apiFlags,
  },
  async run({ args }) {
    const timeoutMs =
      args.timeout === undefined
        ? Number.POSITIVE_INFINITY
        : parseDuration("timeout", args.timeout) / (secondMicros / 1_000);
    const access = await openApi(args);
    const print = (asset: Asset) => printLine(args.json ? JSON.stringify(asset) : describe(asset));
    const waiting: Waiting = { access, deadline: performance.now() + timeoutMs, print };
    const { set, _: ids } = args;
    if (ids.length > 0 && set !== undefined)
      throw new CommandError("Wait for asset IDs or for a --set, not for both.");
    const outcome =
      set === undefined
        ? await waitForAll(waiting, requireIds(ids))
        : await waitForSet(waiting, { set, project: await currentProject(access, args) });
    if (outcome === "timeout") note(args, `No review within ${args.timeout}.`);
    await access.close();
    process.exit(exitCodes[outcome]);
  },
});

interface Waiting {
  access: ApiAccess;
  deadline: number;
  print(asset: Asset): Promise<void>;
}

function requireIds(ids: string[]): string[] {
  if (ids.length === 0) throw new CommandError("Name what to wait for: asset IDs or a --set.");
  return ids;
}

/** Prints the decided variants: the picked ones first, and at most 50. */
async function waitForSet(
  { access: { api }, deadline, print }: Waiting,
  set: { project: string; set: string },
): Promise<Outcome> {
  let review: Schemas["ReviewWait"] | null = null;
  await repeat(deadline, async (wait, hasAnswered) => {
    review = await passOver(hasAnswered, () =>
      unwrap(api.GET("/assets/review", { params: { query: { ...set, wait } } })),
    );
    return { hasAnswered: review !== null, isOver: review?.state === "decided" };
  });
  const { items = [], state, set: counts } = review ?? ({} as Partial<Schemas["ReviewWait"]>);
  for (const { id, status } of items)
    if (status !== "pending")
      await print(await unwrap(api.GET("/assets/{id}", { params: { path: { id } } })));
  if (state !== "decided") return "timeout";
  return counts && counts.approved > 0 ? "approved" : "rejected";
}

/** Prints each asset when it is reviewed. Returns at the first rejection, and when all are approved. */
async function waitForAll(waiting: Waiting, ids: string[]): Promise<Outcome> {
  const groups: string[][] = [];
  for (let start = 0; start < ids.length; start += idsMax) groups.push(ids.slice(start, start + idsMax));
  const outcomes = groups.map((group) => waitForGroup(waiting, group));
  const rejected = Promise.withResolvers<Outcome>();
  for (const outcome of outcomes)
    outcome.then((ended) => ended === "rejected" && rejected.resolve(ended), rejected.reject);
  const all = Promise.all(outcomes).then((ended) => (ended.includes("timeout") ? "timeout" : "approved"));
  return Promise.race([rejected.promise, all]);
}

async function waitForGroup({ access: { api }, deadline, print }: Waiting, ids: string[]): Promise<Outcome> {
  const open = new Set(ids);
  let isRejected = false;
  const isOver = await repeat(deadline, async (wait, hasAnswered) => {
    const path = { id: [...open].join() };
    const review: Schemas["ReviewWait"] | null = await passOver(hasAnswered, () =>
      unwrap(api.GET("/assets/{id}/review", { params: { path, query: { wait } } })),
    );
    for (const { id, status } of review?.items ?? []) {
      if (status === "pending" || isRejected) continue;
      open.delete(id);
      await print(await unwrap(api.GET("/assets/{id}", { params: { path: { id } } })));
      isRejected = status === "rejected" || status === "superseded";
    }
    return { hasAnswered: review !== null, isOver: isRejected || open.size === 0 };
  });
  if (!isOver) return "timeout";
  return isRejected ? "rejected" : "approved";
}

function describe({ id, status, title, version, reviewed_by, review_note }: Asset): string {
  const by = reviewed_by && status !== "superseded" ? ` by ${escapeControls(reviewed_by)}` : "";
  const reason = review_note ? `: ${escapeControls(review_note)}` : "";
  return `${id}  ${status}${by}  "${escapeControls(title)}", version ${version}${reason}`;
}

/** Length of one request; a server parks it until one of the assets is reviewed. */
const waitSeconds = 45;

/** A pause after an error that passes: the server restarts, or too many requests wait. */
const retryMs = 4_000;

const shortPauseMs = 1_000;

interface Answered {
  hasAnswered: boolean;
  isOver: boolean;
}

/** Asks again until it is over or the deadline has passed. @param ask gets how long to wait, in seconds */
async function repeat(
  deadline: number,
  ask: (wait: number, hasAnswered: boolean) => Promise<Answered>,
): Promise<boolean> {
  for (let hasEverAnswered = false; ; ) {
    const startedAt = performance.now();
    const wait = hasEverAnswered ? Math.ceil(Math.min(waitSeconds, (deadline - startedAt) / 1_000)) : 0;
    const { hasAnswered, isOver } = await ask(wait, hasEverAnswered);
    if (isOver) return true;
    hasEverAnswered ||= hasAnswered;
    const left = deadline - performance.now();
    if (left <= 0) return false;
    // A server that stops answers early.
    if (!hasAnswered || (wait > 1 && performance.now() - startedAt < shortPauseMs))
      await Bun.sleep(Math.min(left, hasAnswered ? shortPauseMs : retryMs));
  }
}

/** Null for an error that a restart of the server causes. The first request has to succeed. */
async function passOver<T>(hasAnswered: boolean, request: () => Promise<T>): Promise<T | null> {
  try {
    return await request();
  } catch (error) {
    const isTemporary =
      (error instanceof ApiError && (error.status === 429 || error.status >= 500)) ||
      error instanceof CommandError;
    if (!hasAnswered || !isTemporary) throw error;
    return null;
  }
}

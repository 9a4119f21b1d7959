/** `svc asset wait`: waits until assets are reviewed. */
import { defineCommand } from "citty";
import { escapeControls } from "../../../src/lib/strings/display-text.ts";
import { secondMicros } from "../../../src/lib/time.ts";
import { type ApiAccess, openApi, remoteFlags } from "../../api.ts";
import { ApiError, type Schemas, unwrap } from "../../client/client.ts";
import { CommandError, printLine, reportErrors } from "../../command.ts";
import { parseDuration } from "../../output/duration.ts";
import { note, outputFlags } from "../../output/report.ts";

type Asset = Schemas["AssetDetail"];

const exitCodes = { approved: 0, rejected: 1, timeout: 3 } as const;
type Outcome = keyof typeof exitCodes;

/** Ids of one request, and its length in seconds; a server parks it until one of them is reviewed. */
const idsMax = 20;
const waitSeconds = 45;
/** A pause after an error that passes: the server restarts, or too many requests wait. */
const retryMs = 4_000;
const shortPauseMs = 1_000;

export default defineCommand({
  meta: {
    name: "wait",
    description: "Wait for reviews: exits 0 if all are approved, 1 if one is rejected, 3 after the timeout",
  },
  args: {
    id: { type: "positional", required: true, valueHint: "…", description: "Asset IDs" },
    timeout: {
      type: "string",
      description: "How long to wait, such as 30m or 2h (default: forever)",
      valueHint: "time",
    },
    ...outputFlags,
    ...remoteFlags,
  },
  run: reportErrors(async ({ args }) => {
    const timeoutMs =
      args.timeout === undefined
        ? Number.POSITIVE_INFINITY
        : parseDuration("timeout", args.timeout) / (secondMicros / 1_000);
    const access = await openApi(args);
    const print = (asset: Asset) => printLine(args.json ? JSON.stringify(asset) : describe(asset));
    const outcome = await waitForAll(access, args._, performance.now() + timeoutMs, print);
    if (outcome === "timeout") note(args, `No review within ${args.timeout}.`);
    await access.close();
    process.exit(exitCodes[outcome]);
  }),
});

type Print = (asset: Asset) => Promise<void>;

/** Prints each asset when it is reviewed. Returns at the first rejection, and when all are approved. */
async function waitForAll(
  access: ApiAccess,
  ids: string[],
  deadline: number,
  print: Print,
): Promise<Outcome> {
  const groups: string[][] = [];
  for (let start = 0; start < ids.length; start += idsMax) groups.push(ids.slice(start, start + idsMax));
  const outcomes = groups.map((group) => waitForGroup(access, group, deadline, print));
  const rejected = Promise.withResolvers<Outcome>();
  for (const outcome of outcomes)
    outcome.then((ended) => ended === "rejected" && rejected.resolve(ended), rejected.reject);
  const all = Promise.all(outcomes).then((ended) => (ended.includes("timeout") ? "timeout" : "approved"));
  return Promise.race([rejected.promise, all]);
}

async function waitForGroup(
  access: ApiAccess,
  ids: string[],
  deadline: number,
  print: Print,
): Promise<Outcome> {
  const { api } = access;
  const open = new Set(ids);
  for (let hasAnswered = false; ; ) {
    const startedAt = performance.now();
    const wait: number = hasAnswered ? Math.ceil(Math.min(waitSeconds, (deadline - startedAt) / 1_000)) : 0;
    const path = { id: [...open] };
    const review: Schemas["ReviewWait"] | null = await passOver(hasAnswered, () =>
      unwrap(api.GET("/assets/{id}/review", { params: { path, query: { wait } } })),
    );
    hasAnswered ||= review !== null;
    for (const { id, status } of review?.items ?? []) {
      if (status === "pending") continue;
      open.delete(id);
      await print(await unwrap(api.GET("/assets/{id}", { params: { path: { id } } })));
      if (status === "rejected" || status === "superseded") return "rejected";
    }
    if (open.size === 0) return "approved";
    const left = deadline - performance.now();
    if (left <= 0) return "timeout";
    // A server that stops answers early.
    if (!review || (wait > 1 && performance.now() - startedAt < shortPauseMs))
      await Bun.sleep(Math.min(left, review ? shortPauseMs : retryMs));
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

function describe({ id, status, title, version, reviewed_by, review_note }: Asset): string {
  const by = reviewed_by && status !== "superseded" ? ` by ${escapeControls(reviewed_by)}` : "";
  const reason = review_note ? `: ${escapeControls(review_note)}` : "";
  return `${id}  ${status}${by}  "${escapeControls(title)}", version ${version}${reason}`;
}

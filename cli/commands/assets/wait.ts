/** `svc asset wait`: waits until assets are reviewed. */
import { defineCommand } from "citty";
import { escapeControls } from "../../../src/lib/display-text.ts";
import { secondMicros } from "../../../src/lib/time.ts";
import { type ApiAccess, openApi, remoteFlags } from "../../api.ts";
import { ApiError, type Schemas, unwrap } from "../../client/client.ts";
import { CommandError, printLine, reportErrors } from "../../command.ts";
import { parseDuration } from "../../output/duration.ts";
import { note, outputFlags } from "../../output/report.ts";
import { remoteFeed } from "../feed/feed-source.ts";

type Asset = Schemas["AssetDetail"];

const exitCodes = { approved: 0, rejected: 1, timeout: 3 } as const;
type Outcome = keyof typeof exitCodes;

/** A local database is read often, because that costs one indexed read and no rate limit applies. */
const localIntervalMs = 500;
/** Where the live stream reports reviews, reading is only the fallback. */
const streamIntervalMs = 60_000;
/** Without the stream: a quarter of the default rate limit for one asset, 60 requests a minute. */
const pollIntervalMs = 4_000;

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
    const stop = new AbortController();
    const access = await openApi(args);
    const print = (asset: Asset) => printLine(args.json ? JSON.stringify(asset) : describe(asset));
    const outcome = await waitForAll(access, args._, performance.now() + timeoutMs, print, stop.signal);
    stop.abort();
    if (outcome === "timeout") note(args, `No review within ${args.timeout}.`);
    await access.close();
    process.exit(exitCodes[outcome]);
  }),
});

/** Prints each asset when it is reviewed. Returns at the first rejection, and when all are approved. */
async function waitForAll(
  access: ApiAccess,
  ids: string[],
  deadline: number,
  print: (asset: Asset) => Promise<void>,
  signal: AbortSignal,
): Promise<Outcome> {
  const open = new Set(ids);
  const changes = watchReviews(access, signal);
  for (let hasAnswered = false; ; ) {
    for (const id of open) {
      const asset = await readAsset(access, id, !hasAnswered);
      hasAnswered = true;
      if (!asset || asset.status === "pending") continue;
      open.delete(id);
      await print(asset);
      if (asset.status === "rejected" || asset.status === "superseded") return "rejected";
    }
    if (open.size === 0) return "approved";
    const left = deadline - performance.now();
    if (left <= 0) return "timeout";
    await changes.next(Math.min(left, changes.intervalMs() * (changes.isLive() ? 1 : open.size)));
  }
}

/**
 * Reads an asset; null if the server is unavailable, which a restart passes over. The first read has to
 * succeed.
 */
async function readAsset({ api }: ApiAccess, id: string, isFirst: boolean): Promise<Asset | null> {
  try {
    return await unwrap(api.GET("/assets/{id}", { params: { path: { id } } }));
  } catch (error) {
    const isTemporary =
      (error instanceof ApiError && (error.status === 429 || error.status >= 500)) ||
      error instanceof CommandError;
    if (isFirst || !isTemporary) throw error;
    return null;
  }
}

interface Watch {
  /** Resolves at the next review of any asset, and after `ms` at the latest. */
  next(ms: number): Promise<void>;
  intervalMs(): number;
  /** Reviews are reported as they happen. */
  isLive(): boolean;
}

/** Watches the live stream for reviews. A token without `feed:read` polls instead. */
function watchReviews(access: ApiAccess, signal: AbortSignal): Watch {
  let changed = Promise.withResolvers<void>();
  let isLive = access.isRemote;
  const follow = async () => {
    const feed = remoteFeed(access);
    const head = await feed.head();
    changed.resolve(); // a review before `head` is not in the stream: read once more
    for await (const _ of feed.live({ kind: "asset.reviewed" }, head, signal)) changed.resolve();
  };
  if (access.isRemote)
    follow().catch(() => {
      isLive = false;
      changed.resolve();
    });
  return {
    async next(ms) {
      const timer = Promise.withResolvers<void>();
      const timeout = setTimeout(timer.resolve, Math.min(ms, 2 ** 31 - 1));
      await Promise.race([changed.promise, timer.promise]);
      clearTimeout(timeout);
      changed = Promise.withResolvers();
    },
    intervalMs: () => (!access.isRemote ? localIntervalMs : isLive ? streamIntervalMs : pollIntervalMs),
    isLive: () => isLive,
  };
}

function describe({ id, status, title, version, reviewed_by, review_note }: Asset): string {
  const by = reviewed_by && status !== "superseded" ? ` by ${escapeControls(reviewed_by)}` : "";
  const reason = review_note ? `: ${escapeControls(review_note)}` : "";
  return `${id}  ${status}${by}  "${escapeControls(title)}", version ${version}${reason}`;
}

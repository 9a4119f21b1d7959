/**
 * Rate limit shared by several processes on one database. Each process reports its counts and reads the
 * total, so a client has one quota across all processes.
 *
 * A statement per request would be too expensive. A client well below its quota is allowed immediately and
 * reported later in a batch; any other request waits for the result of its report. One report is in flight at
 * a time. The quota is exact, with one exception: a client known to several processes can exceed it by a
 * quarter of the quota per process, for five seconds. While the database does not respond in time, each
 * process counts by itself, starting from the last known total.
 */

import { type Micros, secondMicros } from "../../../core/lib/time.ts";
import type { Context } from "../../context.ts";
import type { Data } from "../../port.ts";
import {
  localLimiter,
  type RateLimit,
  type RateLimiter,
  RateWindows,
  rateLimitResult,
} from "./rate-limit.ts";

/** A total of at most this age is trusted for a client that used at most this share of its quota. */
const trustedMs = 5_000;
const trustedShare = 1 / 4;
/** How long requests of trusted clients are batched before they are reported. */
const batchMs = 100;
/** A request waits at most this long for the database. */
const reportTimeoutMs = 1_000;
/** Pause after a failed or late report. */
const backoffMs = 5_000;

interface Window {
  endsAt: Micros;
  /** Requests of all processes, as of the last report. */
  used: number;
  /** Requests of this process that are not in `used` yet. */
  unreported: number;
  updatedAt: number;
}

/** Counts sent in one statement. */
interface Report {
  clients: Map<string, ClientReport>;
  /** Resolves when the windows are up to date, or the report failed or timed out. */
  settled: PromiseWithResolvers<void>;
}

interface ClientReport {
  window: Window;
  count: number;
  /** Requests in the window before these; set when the report has settled. */
  before: number;
}

type Count = NonNullable<Data["countRequests"]>;

/**
 * Opens the rate limiter of the deployment: shared if several processes can use the database, else local.
 * @param name distinguishes this limit from others
 */
export const openLimiter = ({ data }: Pick<Context, "data">, limit: RateLimit, name: string): RateLimiter =>
  data.countRequests ? sharedLimiter(limit, name, data.countRequests) : localLimiter(limit);

/** @param name distinguishes this limit from others in the database */
function sharedLimiter({ quota, seconds }: RateLimit, name: string, count: Count): RateLimiter {
  const length = seconds * secondMicros;
  const windows = new RateWindows<Window>(length, quota, (endsAt) => ({
    endsAt,
    used: 0,
    unreported: 0,
    updatedAt: Number.NEGATIVE_INFINITY,
  }));
  let nextReport = emptyReport();
  let isSending = false;
  let timer: Timer | undefined;
  let backoffUntil = Number.NEGATIVE_INFINITY;

  return (client, now, cost = 1) => {
    const window = windows.at(client, now);
    if (window.used >= quota) return rateLimitResult(quota, window.used + 1, window.endsAt, now);
    if (performance.now() < backoffUntil) {
      const position = window.used + window.unreported + 1;
      window.used += cost;
      return rateLimitResult(quota, position, window.endsAt, now);
    }
    const { settled } = nextReport;
    const clientReport = add(nextReport, keyOf(`${name} ${client}`), window, cost);
    const position = clientReport.count + 1 - cost;
    if (
      performance.now() - window.updatedAt < trustedMs &&
      window.used + window.unreported <= quota * trustedShare
    ) {
      timer ??= setTimeout(send, batchMs, now);
      return rateLimitResult(quota, window.used + window.unreported + 1 - cost, window.endsAt, now);
    }
    void send(now);
    return settled.promise.then(() =>
      rateLimitResult(quota, clientReport.before + position, window.endsAt, now),
    );
  };

  /** Sends reports one at a time; each holds the requests that arrived during the previous one. */
  async function send(now: Micros): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    if (isSending) return;
    isSending = true;
    while (nextReport.clients.size > 0) {
      const report = nextReport;
      nextReport = emptyReport();
      settle(report, await sendReport(report, now), now);
    }
    isSending = false;
  }

  async function sendReport({ clients }: Report, now: Micros): Promise<Awaited<ReturnType<Count>> | null> {
    const counts = new Map([...clients].map(([key, { count }]) => [key, count]));
    const timeout = Promise.withResolvers<null>();
    const timer = setTimeout(timeout.resolve, reportTimeoutMs, null);
    const totals = await Promise.race([count(counts, now, length).catch(() => null), timeout.promise]);
    clearTimeout(timer);
    if (!totals) backoffUntil = performance.now() + backoffMs;
    return totals;
  }

  function settle(
    { clients, settled }: Report,
    totals: Awaited<ReturnType<Count>> | null,
    now: Micros,
  ): void {
    for (const [key, clientReport] of clients) {
      const { window, count } = clientReport;
      const total = totals?.get(key);
      window.unreported -= count;
      window.used = total ? total.used : window.used + count;
      clientReport.before = window.used - count;
      if (!total) continue;
      // the clock of the process that opened it may be ahead
      window.endsAt = Math.min(total.endsAt, now + length);
      window.updatedAt = performance.now();
    }
    settled.resolve();
  }
}

const emptyReport = (): Report => ({ clients: new Map(), settled: Promise.withResolvers() });

function add({ clients }: Report, key: string, window: Window, cost: 0 | 1): ClientReport {
  let clientReport = clients.get(key);
  if (!clientReport) clients.set(key, (clientReport = { window, count: 0, before: 0 }));
  clientReport.count += cost;
  window.unreported += cost;
  return clientReport;
}

/** A hash, so that the database has no IP addresses and keys have a fixed length. */
const keyOf = (client: string): string => new Bun.CryptoHasher("sha256").update(client).digest("base64url");

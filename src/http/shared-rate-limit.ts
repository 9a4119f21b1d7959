/**
 * The limit of several processes on one database: each reports what it counts, and learns what the others
 * counted. A client gets its whole quota wherever it asks.
 *
 * A statement for each request would be too dear. A client that is known to be well below its quota is let
 * through at once and reported a moment later, together with others; whoever is not waits for the answer to
 * the report that it is in, of which one at a time is on its way. So the quota is exact, but for a client
 * that shows itself to every process early, uses it up at one, and then spends what the others still trust it
 * with: a quarter of the quota at each, for five seconds. While the database does not answer in time, each
 * process counts by itself from what it knows.
 */
import type { Context } from "../context.ts";
import type { Data } from "../data.ts";
import type { Micros } from "../lib/time.ts";
import { secondMicros } from "../lib/time.ts";
import { localLimiter, type RateLimit, type RateLimiter, rateLimitResult } from "./rate-limit.ts";
import { RateWindows } from "./rate-windows.ts";

/** News of this age are trusted, of a client that used no more than this share of its quota. */
const trustedMs = 5_000;
const trustedShare = 1 / 4;
/** Those who are trusted are reported so late. */
const gatherMs = 100;
/** Longer than this no request waits for the count. */
const patienceMs = 1_000;
/** After a silence the database is left alone for so long. */
const restMs = 5_000;

interface Window {
  endsAt: Micros;
  /** Counted, here or elsewhere, when the database was last heard of. */
  used: number;
  /** Of this process, and not in `used` yet. */
  unheard: number;
  heardAt: number;
}

/** What goes out in one statement. */
interface Report {
  clients: Map<string, Reported>;
  /** Resolves when it is known what the windows hold, or that nobody says so in time. */
  settled: PromiseWithResolvers<void>;
}

interface Reported {
  window: Window;
  count: number;
  /** What the window held before these; known once it is settled. */
  before: number;
}

type Count = NonNullable<Data["countRequests"]>;

/**
 * The limit of this deployment, by the one process that serves it or by all of them. @param name tells limits
 * apart
 */
export const openLimiter = ({ data }: Pick<Context, "data">, limit: RateLimit, name: string): RateLimiter =>
  data.countRequests ? sharedLimiter(limit, name, data.countRequests) : localLimiter(limit);

/** @param name tells the clients of this limit from those of another one */
export function sharedLimiter({ quota, seconds }: RateLimit, name: string, count: Count): RateLimiter {
  const length = seconds * secondMicros;
  const windows = new RateWindows<Window>(length, quota, (endsAt) => ({
    ...{ endsAt, used: 0, unheard: 0 },
    heardAt: Number.NEGATIVE_INFINITY,
  }));
  let next = emptyReport();
  let sending = false;
  let timer: Timer | undefined;
  let restsUntil = Number.NEGATIVE_INFINITY;

  return (client, now, cost = 1) => {
    const window = windows.at(client, now);
    if (window.used >= quota) return rateLimitResult(quota, window.used + 1, window.endsAt, now);
    if (performance.now() < restsUntil) {
      const place = window.used + window.unheard + 1;
      window.used += cost;
      return rateLimitResult(quota, place, window.endsAt, now);
    }
    const { settled } = next;
    const reported = add(next, keyOf(`${name} ${client}`), window, cost);
    const place = reported.count + 1 - cost;
    if (
      performance.now() - window.heardAt < trustedMs &&
      window.used + window.unheard <= quota * trustedShare
    ) {
      timer ??= setTimeout(send, gatherMs, now);
      return rateLimitResult(quota, window.used + window.unheard + 1 - cost, window.endsAt, now);
    }
    void send(now);
    return settled.promise.then(() => rateLimitResult(quota, reported.before + place, window.endsAt, now));
  };

  /** One report after the other, each with what came while the last one was on its way. */
  async function send(now: Micros): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    if (sending) return;
    sending = true;
    while (next.clients.size > 0) {
      const report = next;
      next = emptyReport();
      settle(report, await answerTo(report, now), now);
    }
    sending = false;
  }

  async function answerTo({ clients }: Report, now: Micros): Promise<Awaited<ReturnType<Count>> | null> {
    const counts = new Map([...clients].map(([key, { count }]) => [key, count]));
    const late = Promise.withResolvers<null>();
    const timer = setTimeout(late.resolve, patienceMs, null);
    const answer = await Promise.race([count(counts, now, length).catch(() => null), late.promise]);
    clearTimeout(timer);
    if (!answer) restsUntil = performance.now() + restMs;
    return answer;
  }

  function settle(
    { clients, settled }: Report,
    answer: Awaited<ReturnType<Count>> | null,
    now: Micros,
  ): void {
    for (const [key, reported] of clients) {
      const { window, count } = reported;
      const said = answer?.get(key);
      window.unheard -= count;
      window.used = said ? said.used : window.used + count;
      reported.before = window.used - count;
      if (!said) continue;
      window.endsAt = Math.min(said.endsAt, now + length); // whoever opened it may have a clock that is ahead
      window.heardAt = performance.now();
    }
    settled.resolve();
  }
}

const emptyReport = (): Report => ({ clients: new Map(), settled: Promise.withResolvers() });

function add({ clients }: Report, key: string, window: Window, cost: 0 | 1): Reported {
  let reported = clients.get(key);
  if (!reported) clients.set(key, (reported = { window, count: 0, before: 0 }));
  reported.count += cost;
  window.unheard += cost;
  return reported;
}

/** Of one length, and nobody's address. */
const keyOf = (client: string): string => new Bun.CryptoHasher("sha256").update(client).digest("base64url");

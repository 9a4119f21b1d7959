/**
 * Which of the processes on one Postgres does the work that one should do: whoever holds an advisory lock, on
 * a session of its own. The lock goes with the session, when its process ends or its connection breaks. A
 * session that only falls silent (a machine without power, a network that is cut) is ended by Postgres
 * itself, and by then its process has long given up.
 */
import { SQL } from "bun";

/** First half of the keys of these locks, apart from that of the migrations. */
const lockSpace = 0x73766332;

export interface LeaderElection {
  /** Whether this process does that work. Who asks stands for it from then on. */
  isLeader(work: string): boolean;
  close(): Promise<void>;
}

export interface LeaderElectionOptions {
  /** How often the session says that it is still there. */
  heartbeatMs?: number;
  /** Postgres ends a session that says nothing for so long. */
  sessionTimeoutMs?: number;
}

export function openLeaderElection(
  url: string,
  { heartbeatMs: beatMs = 2_000, sessionTimeoutMs: silenceMs = 15_000 }: LeaderElectionOptions = {},
): LeaderElection {
  const works: string[] = [];
  let led = new Set<string>();
  let answeredAt = Number.NEGATIVE_INFINITY;
  let session: SQL | undefined;
  let beating: Promise<void> | undefined;
  let timer: Timer | undefined;

  async function beat(): Promise<void> {
    const askedAt = performance.now();
    session ??= openSession(url, silenceMs);
    const answer = await within(silenceMs / 3, locksOf(session, works)).catch(() => null);
    if (answer) {
      [led, answeredAt] = [answer, askedAt];
      return;
    }
    led = new Set();
    void session.close({ timeout: 0 }).catch(() => {}); // where it cannot even be closed, Postgres ends it
    session = undefined;
  }

  const beatOnce = (): void => {
    beating ??= beat().finally(() => (beating = undefined));
  };

  return {
    isLeader(work) {
      if (!works.includes(work)) {
        works.push(work);
        beatOnce();
      }
      timer ??= setInterval(beatOnce, beatMs);
      timer.unref();
      return led.has(work) && performance.now() - answeredAt < silenceMs / 2;
    },
    async close() {
      clearInterval(timer);
      await beating;
      await session?.close({ timeout: 0 }).catch(() => {});
      led.clear();
    },
  };
}

const openSession = (url: string, silenceMs: number): SQL =>
  new SQL(url, {
    max: 1,
    connectionTimeout: 5,
    connection: {
      application_name: "svc leadership",
      statement_timeout: "5000",
      idle_session_timeout: String(silenceMs),
    },
  });

/**
 * Takes those locks that are free; the driver may have a new session behind our back, so it is asked what
 * this one holds.
 */
async function locksOf(session: SQL, works: string[]): Promise<Set<string>> {
  const rows: { work: string; held: boolean }[] = await session`
    select work, case
      when exists (
        select from pg_locks
        where locktype = 'advisory' and pid = pg_backend_pid() and granted
          and (classid::bigint, objid::bigint, objsubid) = (${lockSpace}::bigint, key & 4294967295, 2)
      ) then true
      else pg_try_advisory_lock(${lockSpace}::int, key::int)
    end as held
    from (select work, hashtext(work)::bigint as key from json_array_elements_text(${JSON.stringify(works)}::text::json) as work) as wanted`;
  return new Set(rows.filter(({ held }) => held).map(({ work }) => work));
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error("no answer")), ms);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

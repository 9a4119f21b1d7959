/**
 * Leader election: for each background job, one of the processes on a Postgres database holds an advisory
 * lock, on a session of its own. The lock ends with the session, when its process exits or its connection
 * breaks. A session that goes silent (power loss, network partition) is ended by Postgres after
 * `idle_session_timeout`; by then its process has long stopped acting as the leader.
 */
import type { SQL } from "bun";
import { PostgresServer } from "./connect.ts";

/** First key of these two-key advisory locks; migrations use a lock of another key. */
const lockNamespace = 0x73766332;

export interface LeaderElection {
  /** Whether this process is the leader for a job. The first call makes it a candidate. */
  isLeader(job: string): boolean;
  close(): Promise<void>;
}

export interface LeaderElectionOptions {
  /** The interval between two heartbeats of the session. */
  heartbeatMs?: number;
  /** Postgres ends a session without a heartbeat for this long. */
  sessionTimeoutMs?: number;
}

/** Elects one process for each job with advisory locks of one session. */
export function openLeaderElection(
  url: string,
  { heartbeatMs = 2_000, sessionTimeoutMs = 15_000 }: LeaderElectionOptions = {},
): LeaderElection {
  const jobs: string[] = [];
  let heldJobs = new Set<string>();
  let confirmedAt = Number.NEGATIVE_INFINITY;
  let session: Promise<SQL> | undefined;
  const server = new PostgresServer(url);
  let heartbeat: Promise<void> | undefined;
  let timer: Timer | undefined;

  /** The locks end with the session, so a new one is opened as soon as it is closed. */
  const openSession = (): Promise<SQL> => {
    const opened = server.connect({
      name: "svc leadership",
      settings: { statement_timeout: "5000", idle_session_timeout: String(sessionTimeoutMs) },
      onClose: () => {
        if (session === opened) session = undefined;
      },
    });
    return opened;
  };

  async function sendHeartbeat(): Promise<void> {
    const sentAt = performance.now();
    session ??= openSession();
    const locks = session.then((sql) => acquireLocks(sql, jobs));
    const held = await withTimeout(sessionTimeoutMs / 3, locks).catch(() => null);
    if (held) {
      [heldJobs, confirmedAt] = [held, sentAt];
      return;
    }
    heldJobs = new Set();
    closeSession();
  }

  /** If closing fails too, Postgres ends it after its timeout. */
  function closeSession(): void {
    void session?.then((sql) => sql.close({ timeout: 0 })).catch(() => {});
    session = undefined;
  }

  const startHeartbeat = (): void => {
    heartbeat ??= sendHeartbeat().finally(() => (heartbeat = undefined));
  };

  return {
    isLeader(job) {
      if (!jobs.includes(job)) {
        jobs.push(job);
        startHeartbeat();
      }
      timer ??= setInterval(startHeartbeat, heartbeatMs);
      timer.unref();
      return heldJobs.has(job) && performance.now() - confirmedAt < sessionTimeoutMs / 2;
    },
    async close() {
      clearInterval(timer);
      await heartbeat;
      closeSession();
      heldJobs.clear();
    },
  };
}

/**
 * Takes the locks that are free and returns the jobs whose lock this session holds. It reads `pg_locks` each
 * time, because the driver may have reconnected, and a new session holds none.
 */
async function acquireLocks(session: SQL, jobs: string[]): Promise<Set<string>> {
  const rows: { work: string; held: boolean }[] = await session`
    select work, case
      when exists (
        select from pg_locks
        where locktype = 'advisory' and pid = pg_backend_pid() and granted
          and (classid::bigint, objid::bigint, objsubid) = (${lockNamespace}::bigint, key & 4294967295, 2)
      ) then true
      else pg_try_advisory_lock(${lockNamespace}::int, key::int)
    end as held
    from (select work, hashtext(work)::bigint as key
      from json_array_elements_text(${JSON.stringify(jobs)}::text::json) as work) as wanted`;
  return new Set(rows.filter(({ held }) => held).map(({ work }) => work));
}

async function withTimeout<T>(ms: number, work: Promise<T>): Promise<T> {
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(() => timeout.reject(new Error("no answer")), ms);
  try {
    return await Promise.race([work, timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
}

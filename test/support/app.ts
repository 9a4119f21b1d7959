/** The data layer and the whole app in this process, on a database of their own. */
import { docSlots } from "../../cli/doc-slots.ts";
import { openData } from "../../db/open.ts";
import type { Context } from "../../src/api/context.ts";
import { docSections } from "../../src/api/docs/section-index.ts";
import type { Connection } from "../../src/api/http/api-middleware.ts";
import type { Data, Writes } from "../../src/api/port.ts";
import { openAudit } from "../../src/core/audit/audit.ts";
import type { Scope } from "../../src/core/auth/scopes.ts";
import { generateToken, hashToken } from "../../src/core/auth/token.ts";
import { type Environment, readConfig } from "../../src/core/config.ts";
import type { Log } from "../../src/core/context.ts";
import { deprecations } from "../../src/core/deprecation.ts";
import { type Metrics, openMetrics } from "../../src/core/metrics.ts";
import type { TokenRow } from "../../src/core/rows.ts";
import { openFeedNotifier } from "../../src/feed/feed-notifier.ts";
import { linkProject } from "../../src/feed/projects/projects.ts";
import type { Appendable } from "../../src/feed/rows.ts";
import { openProbe } from "../../src/files/probe/probe.ts";
import { ownedStore } from "../../src/files/stores/owned-store.ts";
import type { OwnedStore, Store } from "../../src/files/stores/store.ts";
import { buildApp } from "../../src/web/app.ts";
import { type Clock, testClock } from "./clock.ts";
import { type DatabaseKind, migratedDatabase, type TestDatabase, writeTo } from "./database/database.ts";
import { openapiChecker } from "./http/openapi-answers.ts";
import { probeCommand, programUser } from "./program.ts";
import { type Closable, closable } from "./resources.ts";

export interface LogLine {
  level: string;
  message: string;
  fields: Record<string, unknown>;
}

export interface TestData extends Closable {
  data: Data;
  clock: Clock;
  logged: LogLine[];
  url: string;
}

/** Fewer than a server opens: each costs Postgres as much as a small test. One writes, the others read. */
const testConnections = 2;

/** Opens the data layer on a fresh database. A second `openData(url)` acts as another process. */
export async function openTestData(
  kind: DatabaseKind,
  clock = testClock(),
  metrics?: Metrics,
  filled?: TestDatabase,
): Promise<TestData> {
  const database = filled ?? (await migratedDatabase(kind));
  const logged: LogLine[] = [];
  const log: Log = (level, message, fields = {}) => void logged.push({ level, message, fields });
  const options = { now: clock.now, log, connections: testConnections, ...(metrics && { metrics }) };
  const data = await openData(database.url, options);
  return {
    ...{ data, clock, logged, url: database.url },
    ...closable(async () => {
      await data.close();
      await database.close();
    }),
  };
}

/** Parts of the context that a test replaces: the stores (none by default) and the deprecations. */
export type TestParts = Record<"store" | "publicStore", Store | null> & Pick<Context, "deprecations">;

export interface TestApp extends Closable {
  ctx: Context;
  clock: Clock;
  logged: LogLine[];
  url: string;
  /** Sends a request to the app in this process, and checks the response against the OpenAPI document. */
  ask(path: string, init?: TestRequest): Promise<Response>;
  mint(
    scopes: readonly Scope[],
    fields?: Partial<
      Pick<TokenRow, "name" | "projects" | "expires_at" | "review_role" | "role" | "owner" | "team">
    >,
  ): Promise<string>;
  /** Serves the same app over HTTP. @returns its origin */
  listen(): string;
}

export interface TestRequest extends RequestInit {
  token?: string;
  /** The client's IP address. */
  address?: string;
  /** Sent as a JSON body. */
  json?: unknown;
}

/** Opens the whole app on a fresh database, without a rate limit and helper programs unless `env` has them. */
export async function openApp(
  kind: DatabaseKind,
  env: Environment = {},
  clock = testClock(),
  { store = null, publicStore = null, ...parts }: Partial<TestParts> = {},
): Promise<TestApp> {
  const metrics = openMetrics();
  const { data, logged, url, close } = await openTestData(kind, clock, metrics);
  const config = readConfig({ SVC_RATE_LIMIT: "off", SVC_SITE_URL: "http://svc.test", ...env });
  const feedNotifier = openFeedNotifier(data);
  const log: Log = (level, message, fields = {}) => void logged.push({ level, message, fields });
  const probe = openProbe({ command: probeCommand(), log, path: env.PATH ?? "" });
  // A copy: what a test replaces in `data` affects requests, but not the audit's background writes.
  const audit = openAudit({ data: { ...data }, now: clock.now, log });
  const ctx: Context = {
    ...{
      config,
      data,
      feedNotifier,
      audit,
      probe,
      secret: "a signing secret",
      deprecations,
      now: clock.now,
      log,
      metrics,
    },
    ...{
      docSlots,
      docSections,
      store: owned(store, data),
      publicStore: owned(publicStore, data),
      ...parts,
    },
  };
  const handle = buildApp(ctx);
  const hold = openapiChecker(ctx);
  const servers: Bun.Server<undefined>[] = [];
  const answer = ({ path, token, address = "192.0.2.1", json, ...init }: TestRequest & { path: string }) => {
    const headers = new Headers(init.headers);
    if (token) headers.set("authorization", `Bearer ${token}`);
    if (json !== undefined && !headers.has("content-type")) headers.set("content-type", "application/json");
    const body = json === undefined ? init.body : JSON.stringify(json);
    const method = init.method ?? (json === undefined ? "GET" : "POST");
    return handle(
      new Request(`http://svc.test${path}`, { ...init, method, headers, ...(body != null && { body }) }),
      from(address),
    );
  };
  return {
    ...{ ctx, clock, logged, url },
    async ask(path, init = {}) {
      const response = await answer({ ...init, path });
      await hold(path, init, response);
      return response;
    },
    async mint(scopes, fields = {}) {
      const { name = `test-${crypto.randomUUID()}`, projects = null, expires_at = null } = fields;
      const token = generateToken();
      const row = {
        name,
        hash: hashToken(token),
        scopes: [...scopes],
        projects,
        created_at: clock.now(),
        expires_at,
        review_role: fields.review_role ?? null,
        role: fields.role ?? null,
        owner: fields.owner ?? null,
        team: fields.team ?? null,
      };
      await data.atomically((writes) => writes.addToken(row));
      return token;
    },
    listen() {
      const server = Bun.serve({
        ...{
          hostname: "127.0.0.1",
          port: 0,
          development: false,
          idleTimeout: 60,
          maxRequestBodySize: Number.MAX_SAFE_INTEGER,
        },
        fetch: (request, connection) => handle(request, connection),
      });
      servers.push(server);
      return server.url.origin;
    },
    ...closable(async () => {
      feedNotifier.close();
      for (const server of servers) await server.stop(true);
      await audit.close();
      await close();
    }),
  };
}

/** Wraps a store the way the program does. */
export const owned = (store: Store | null, data: Pick<Data, "deployment">): OwnedStore | null =>
  store && ownedStore(store, data.deployment);

const from = (address: string): Connection => ({ requestIP: () => ({ address }), timeout() {} });

/** Links a project for the test's events. */
export const link = (data: Data, slug: string, repo = `acme/${slug}`) =>
  data.atomically((writes) => writes.linkProject({ slug, repo }, 1_000_000));

/** Links a project in the database of a program, as `svc project link` does. */
export const linkIn = ({ url }: Pick<TestDatabase, "url">, slug = "atlas", repo = `acme/${slug}`) =>
  writeTo(url, (data, now) =>
    linkProject({ data, now: () => now, config: readConfig({}) }, { slug, repo }, `human:${programUser}`),
  );

/** Few enough rows for one transaction, which has a time limit, on a loaded machine. */
const rowsInTransaction = 25;

/** Calls `write` with 0 to `count - 1`, in as many transactions as that needs. @returns what it returned */
export async function writeInBatches<T>(
  data: Data,
  count: number,
  write: (writes: Writes, index: number) => Promise<T>,
): Promise<T[]> {
  const written: T[] = [];
  for (let first = 0; first < count; first += rowsInTransaction) {
    const end = Math.min(count, first + rowsInTransaction);
    const batch = await data.atomically(async (writes) => {
      const added: T[] = [];
      for (let index = first; index < end; index++) added.push(await write(writes, index));
      return added;
    });
    written.push(...batch);
  }
  return written;
}

/** The least an event says. */
export const event = (fields: Partial<Appendable> = {}): Appendable => ({
  ...{ kind: "run.started", actor: "agent:codex", summary: "Run 7 started" },
  ...fields,
});

/** The dedupe key that a client sent, of one that a row holds behind its scope. */
export const sentKey = (stored: unknown): string => `${stored}`.split("\u001f", 1)[0] as string;

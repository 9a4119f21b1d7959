/**
 * Shared test helpers: fresh databases of both dialects, the app in this process, the program as a child
 * process, a manual clock, and waiting for a condition. Dispose of the results with `await using`, or `close`
 * in `afterAll`.
 */

import { expect } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { SQL } from "bun";
import { commandReference } from "../../cli/reference.ts";
import { openData } from "../../db/open.ts";
import { buildApp } from "../../src/app.ts";
import { openAudit } from "../../src/audit/audit.ts";
import { allScopes, type Scope } from "../../src/auth/scopes.ts";
import { generateToken, hashToken } from "../../src/auth/token.ts";
import { type Environment, readConfig } from "../../src/config.ts";
import type { Context, Log } from "../../src/context.ts";
import type { Data } from "../../src/data.ts";
import { deprecations } from "../../src/deprecation.ts";
import { docSections } from "../../src/docs/sections.ts";
import { openFeedNotifier } from "../../src/feed/feed-notifier.ts";
import type { Event } from "../../src/feed/schema.ts";
import type { Connection } from "../../src/http/api-middleware.ts";
import { type Micros, toMicros } from "../../src/lib/time.ts";
import { type Metrics, openMetrics } from "../../src/metrics.ts";
import { openProbe } from "../../src/probe/probe.ts";
import type { Appendable, AssetRow, TokenRow } from "../../src/rows.ts";
import { ownedStore } from "../../src/stores/owned-store.ts";
import type { OwnedStore, Store } from "../../src/stores/store.ts";
import { scale } from "../faults/promises.ts";
import { openapiChecker } from "./openapi-answers.ts";

export const dialects = ["sqlite", "postgres"] as const;
export type Dialect = (typeof dialects)[number];

/** Picks the size of a test in test/faults: `small` in the suite, `full` with `bun run test:faults`. */
export const scaled = <T>(small: T, full: T): T => (scale === "suite" ? small : full);

/** A resource that `await using` closes. */
interface Closable extends AsyncDisposable {
  close(): Promise<void>;
}
const closable = (close: () => Promise<void>): Closable => ({ close, [Symbol.asyncDispose]: close });

/** Creates a temporary folder, which is removed on close. */
export async function temporaryFolder(): Promise<{ path: string } & Closable> {
  const path = await mkdtemp(join(tmpdir(), "svc-test-"));
  return { path, ...closable(() => rm(path, { recursive: true, force: true })) };
}

export interface TestDatabase extends Closable {
  dialect: Dialect;
  /** Value for `SVC_DATABASE_URL`. */
  url: string;
}

/** Returns an empty database: a path for a new SQLite file, or a new database on the suite's Postgres. */
export async function freshDatabase(dialect: Dialect): Promise<TestDatabase> {
  if (dialect === "sqlite") {
    const folder = await temporaryFolder();
    return { dialect, url: `sqlite:${join(folder.path, "svc.db")}`, ...closable(folder.close) };
  }
  const server = process.env.SVC_TEST_DATABASE_URL;
  if (!server)
    throw new Error(
      "no Postgres to test with: run `bun run test [file …]`, which starts one, or set SVC_TEST_DATABASE_URL",
    );
  const name = `svc_test_${crypto.randomUUID().replaceAll("-", "")}`;
  await administer(server, `create database ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    dialect,
    url: url.href,
    ...closable(() => administer(server, `drop database if exists ${name} with (force)`)),
  };
}

/** Creates an empty database, for commands that do not create one. */
export async function createDatabase(url: string): Promise<void> {
  await (await openData(url, { now: testClock().now, log() {} })).close();
}

/** Queries the database directly, bypassing the data layer. */
export async function rowsOf(url: string, query: string): Promise<Record<string, unknown>[]> {
  const sql = new SQL(url.replace(/^sqlite:/, "sqlite://"), { max: 1 });
  try {
    return [...(await sql.unsafe(query))];
  } finally {
    await sql.close();
  }
}

/** Returns the file of a SQLite database URL. */
export const fileOf = (database: Pick<TestDatabase, "url">): string => database.url.slice("sqlite:".length);

async function administer(server: string, statement: string): Promise<void> {
  const sql = new SQL(server, { max: 1 });
  try {
    await sql.unsafe(statement);
  } finally {
    await sql.close();
  }
}

export interface Clock {
  now(): Micros;
  set(text: string): void;
  advance(micros: Micros): void;
}

/** A clock that moves only when the test sets or advances it. */
export function testClock(text = "2026-03-01T12:00:00Z"): Clock {
  let at = toMicros(text);
  return {
    now: () => at,
    set: (text) => void (at = toMicros(text)),
    advance: (micros) => void (at += micros),
  };
}

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

/** Opens the data layer on a fresh database. A second `openData(url)` acts as another process. */
export async function openTestData(
  dialect: Dialect,
  clock = testClock(),
  metrics?: Metrics,
): Promise<TestData> {
  const database = await freshDatabase(dialect);
  const logged: LogLine[] = [];
  const log: Log = (level, message, fields = {}) => void logged.push({ level, message, fields });
  const data = await openData(database.url, { now: clock.now, log, ...(metrics && { metrics }) });
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
    fields?: Partial<Pick<TokenRow, "name" | "projects" | "expires_at">>,
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

/** Opens the whole app on a fresh database, without a rate limit unless `env` sets one. */
export async function openApp(
  dialect: Dialect,
  env: Environment = {},
  clock = testClock(),
  { store = null, publicStore = null, ...parts }: Partial<TestParts> = {},
): Promise<TestApp> {
  const metrics = openMetrics();
  const { data, logged, url, close } = await openTestData(dialect, clock, metrics);
  const config = readConfig({ SVC_RATE_LIMIT: "off", SVC_SITE_URL: "http://svc.test", ...env });
  const feedNotifier = openFeedNotifier(data);
  const log: Log = (level, message, fields = {}) => void logged.push({ level, message, fields });
  const probe = openProbe({ command: [process.execPath, join(sourceRoot, "cli/probe.ts")], log });
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
      commandLine: commandReference,
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
    async mint(scopes, { name = `test-${crypto.randomUUID()}`, projects = null, expires_at = null } = {}) {
      const token = generateToken();
      const row = {
        name,
        hash: hashToken(token),
        scopes: [...scopes],
        projects,
        created_at: clock.now(),
        expires_at,
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

/** The least an event says. */
export const event = (fields: Partial<Appendable> = {}): Appendable => ({
  ...{ kind: "run.started", actor: "agent:codex", summary: "Run 7 started" },
  ...fields,
});

/** Of the environment tokens that every started program knows. */
/** The dedupe key that a client sent, of one that a row holds behind its scope. */
export const sentKey = (stored: unknown): string => `${stored}`.split("\u001f", 1)[0] as string;

export const programToken = "test-token-with-every-scope";

export interface Program extends Closable {
  process: Bun.Subprocess<"ignore", "pipe", "pipe">;
  /** All that came so far. */
  output(): string;
  errors(): string;
  /** Resolves with the exit code after all output was read. */
  ended: Promise<number>;
}

export interface Server extends Program {
  origin: string;
  /** Sends SIGTERM. @returns the exit code */
  terminate(): Promise<number>;
  /** Sends SIGKILL, as close to a power cut as a process gets. */
  kill(): Promise<void>;
}

const sourceRoot = dirname(dirname(import.meta.dir));

/** The command of the program: the executable that the suite built, or the source if there is none. */
export function programCommand(): [string, ...string[]] {
  const binary = process.env.SVC_TEST_BINARY;
  return binary ? [binary] : [process.execPath, join(sourceRoot, "cli/main.ts")];
}

/** The environment of a test program: only what it needs, and `env`. */
export function programEnvironment(env: Environment = {}): Record<string, string> {
  const { PATH, HOME, TMPDIR } = process.env;
  // No login of the user who runs the tests: it would send commands to a server.
  const XDG_CONFIG_HOME = join(tmpdir(), "svc-test-no-config");
  const entries = Object.entries({ PATH, HOME, TMPDIR, XDG_CONFIG_HOME, NO_COLOR: "1", ...env });
  return Object.fromEntries(entries.filter((one): one is [string, string] => one[1] !== undefined));
}

/** Starts the program as a child process. @param through a command that runs it, such as `nice` */
export function runProgram(args: string[], env: Environment = {}, through: string[] = []): Program {
  const child = Bun.spawn([...through, ...programCommand(), ...args], {
    env: programEnvironment(env),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [output, errors] = [collectText(child.stdout), collectText(child.stderr)];
  const close = async () => {
    child.kill("SIGKILL");
    await child.exited;
  };
  const ended = Promise.all([child.exited, output.end, errors.end]).then(([code]) => code);
  return { process: child, output: output.text, errors: errors.text, ended, ...closable(close) };
}

/** Runs the program until it exits. */
export async function program(
  args: string[],
  env: Environment = {},
): Promise<{ code: number; output: string; errors: string }> {
  const running = runProgram(args, env);
  const code = await running.ended;
  return { code, output: running.output(), errors: running.errors() };
}

/** Starts `svc serve` on a free port and waits until it prints its URL. */
export async function startServer(
  database: Pick<TestDatabase, "url">,
  env: Environment = {},
  flags = ["--port", "0"],
  through: string[] = [],
): Promise<Server> {
  const all = {
    SVC_DATABASE_URL: database.url,
    SVC_RATE_LIMIT: "off",
    SVC_API_TOKENS: `${programToken}:${allScopes.join(",")}`,
    ...env,
  };
  const running = runProgram(["serve", ...flags], all, through);
  const child = running.process;
  await until(
    () => /http:\/\/.*\n/.test(running.output()) || child.exitCode !== null || child.signalCode !== null,
    "the start line",
  );
  const origin = /http:\/\/[^\s/]+/.exec(running.output())?.[0];
  if (!origin) throw new Error(`svc serve ended: ${running.errors()}`);
  return {
    ...running,
    origin,
    async terminate() {
      child.kill("SIGTERM");
      return child.exited;
    },
    kill: running.close,
  };
}

/** Collects a stream's text. */
function collectText(stream: ReadableStream<Uint8Array>): { text(): string; end: Promise<void> } {
  let output = "";
  const read = async () => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) output += decoder.decode(chunk, { stream: true });
  };
  return { text: () => output, end: read() };
}

/** Returns the value, or throws if it is null or undefined. */
export function must<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new Error("expected a value");
  return value;
}

/** Polls until the condition is true. Tests wait for conditions, not for fixed times. */
export async function until(
  condition: () => unknown | Promise<unknown>,
  what: string,
  timeoutMs = 30_000,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`timed out after ${timeoutMs} ms waiting for: ${what}`);
    await Bun.sleep(5);
  }
}

/** Every asset, with all of its columns. */
export async function assetRowsOf(data: Data): Promise<AssetRow[]> {
  const page = await data.assets(null, { limit: 100_000 });
  return Promise.all(page.map(async ({ id }) => must(await data.asset(null, id))));
}

/**
 * Recounts all events and expects the counters, open issues and usage of every project to match.
 * @returns the number of events
 */
export async function expectConsistent(data: Data): Promise<number> {
  const events: (Event & { micros: Micros })[] = [];
  for (let after = Number.MIN_SAFE_INTEGER; ; ) {
    const page = await data.feed(null, { order: "oldest first", after, limit: 1000 });
    for (const { id, ts, wire } of page) {
      const parsed: Event = JSON.parse(wire);
      expect([parsed.id, toMicros(parsed.ts)]).toEqual([id, ts]);
      events.push({ ...parsed, micros: ts });
    }
    const last = page.at(-1);
    if (!last) break;
    after = last.ts;
  }
  expect(new Set(events.map((one) => one.id)).size).toBe(events.length);
  for (const project of await data.projects(null, { limit: 1000 })) {
    const own = events.filter((one) => one.project === project.slug);
    const openNow = new Map(
      own
        .filter((one) => one.issue && /^issue\.(opened|closed)$/.test(one.kind))
        .map((one) => [one.issue, one.kind]),
    );
    expect(project.digest.total).toBe(own.length);
    expect(project.lastActivity).toBe(own.at(-1)?.micros ?? null);
    expect(project.openIssues).toBe([...openNow.values()].filter((kind) => kind === "issue.opened").length);
    const usage = await data.usage(project.slug, "");
    const sum = (field: "tokens_in" | "cost_equiv") => own.reduce((total, one) => total + one[field], 0);
    expect(usage.reduce((total, row) => total + row.tokens_in, 0)).toBe(sum("tokens_in"));
    expect(usage.reduce((total, row) => total + row.cost_equiv, 0)).toBeCloseTo(sum("cost_equiv"), 6);
    expect(usage.reduce((total, row) => total + row.runs, 0)).toBe(
      own.filter((one) => /^run\.(finished|failed)$/.test(one.kind)).length,
    );
    expect(usage.reduce((total, row) => total + row.merges, 0)).toBe(
      own.filter((one) => one.kind === "pr.merged").length,
    );
  }
  return events.length;
}

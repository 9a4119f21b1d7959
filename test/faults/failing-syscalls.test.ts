/**
 * Every system call that makes something durable is once the last one, and once one that fails: acknowledged
 * data is there, other data is there whole or not at all, and the next start, or the next call, goes on.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { PresignResponse } from "../../src/library/assets/requests.ts";
import type { Asset } from "../../src/library/assets/schema.ts";
import {
  type Dialect,
  event,
  link,
  migratedDatabase,
  must,
  programToken,
  rowsOf,
  type Server,
  sentKey,
  startServer,
  type TestDatabase,
  temporaryFolder,
} from "../support/harness.ts";
import { combinations, openPlace, type StorePlace, type TestPlace } from "../support/library.ts";
import { openLeft, requireAgreement } from "./agreement.ts";
import { measured, reached, scale, times, triedAll } from "./promises.ts";
import { callsDuring, callsOf, canTrace, failAt, killAt, pointsOf, spread } from "./strace.ts";

const authorization = `Bearer ${programToken}`;
const json = { authorization, "content-type": "application/json" };
const webhookSecret = "a secret of the source host";
const env = { SVC_GITHUB_WEBHOOK_SECRET: webhookSecret };

/** What was promised so far, and how the rest was refused. */
interface Receipt {
  keys: string[][];
  deliveries: number;
  assets: { id: string; status: string }[];
  /** Statuses that were no success. */
  refusals: { what: string; status: number; body: string }[];
  /** The line was cut: nothing is known. */
  cut: boolean;
}

const nothing = (): Receipt => ({ keys: [], deliveries: 0, assets: [], refusals: [], cut: false });

/** Everything that is written, once, each step though the one before failed. */
async function everything(server: Server, name: string, receipt: Receipt): Promise<void> {
  const call = async <T>(what: string, path: string, init: RequestInit): Promise<T | null> => {
    if (receipt.cut) return null;
    try {
      const response = await fetch(path.startsWith("http") ? path : server.origin + path, init);
      const body = await response.text();
      if (response.ok) return (body ? JSON.parse(body) : {}) as T;
      receipt.refusals.push({ what, status: response.status, body });
    } catch {
      receipt.cut = true;
    }
    return null;
  };
  const post = <T>(what: string, path: string, body: unknown, method = "POST") =>
    call<T>(what, `/api/v1${path}`, { method, headers: json, body: JSON.stringify(body) });

  const keys = [`${name}-1`, `${name}-2`];
  const events = keys.map((dedupe_key) =>
    event({ dedupe_key, project: "atlas", summary: "x".repeat(1_000) }),
  );
  if (await post("append", "/events", { events })) receipt.keys.push(keys);

  const body = JSON.stringify({
    ...{
      action: "opened",
      repository: { id: 1, full_name: "acme/atlas" },
      sender: { login: "zoe", type: "User" },
    },
    issue: {
      number: 7,
      title: name,
      html_url: "https://github.com/acme/atlas/issues/7",
      updated_at: new Date().toISOString(),
      id: 1,
    },
  });
  const signature = `sha256=${new Bun.CryptoHasher("sha256", webhookSecret).update(body).digest("hex")}`;
  const headers = {
    ...json,
    "x-github-event": "issues",
    "x-github-delivery": crypto.randomUUID(),
    "x-hub-signature-256": signature,
  };
  const delivered = await call<{ accepted: number }>("delivery", "/api/hooks/github", {
    method: "POST",
    headers,
    body,
  });
  receipt.deliveries += delivered?.accepted ?? 0;

  const form = new FormData();
  form.append("project", "atlas");
  form.append("title", `${name} form`);
  form.append("file", new File(["some words"], "a.txt"));
  const uploaded = await call<Asset>("upload", "/api/v1/assets", {
    method: "POST",
    headers: { authorization },
    body: form,
  });
  const existing = (asset: Asset | null) =>
    asset && receipt.assets.push({ id: asset.id, status: asset.status });
  existing(uploaded);

  const reserved = await post<PresignResponse>("presign", "/assets", {
    presign: true,
    project: "atlas",
    filename: "b.txt",
    title: `${name} put`,
  });
  if (reserved) {
    const put = await call("put", reserved.upload_url, {
      method: "PUT",
      headers: reserved.headers ?? {},
      body: "other words",
    });
    if (put)
      existing(await post<Asset>("finalize", `/assets/${reserved.id}/finalize`, reserved.finalize_body));
  }
  const [first, second] = [uploaded?.id, receipt.assets.find(({ id }) => id === reserved?.id)?.id];
  if (second)
    existing(
      await post<Asset>(
        "reject",
        `/assets/${second}/review`,
        { decision: "rejected", note: `Not ${name}` },
        "PUT",
      ),
    );
  if (!first) return;
  const approved = await post<Asset>("approve", `/assets/${first}/review`, { decision: "approved" }, "PUT");
  existing(approved);
  if (approved) existing(await post<Asset>("publish", `/assets/${first}/publish`, undefined));
}

/** The order of an asset's life: a later answer may have been lost, an earlier one not. */
const life = ["pending", "approved", "rejected", "published"];

/** What was told is there; what was not is there whole, or not at all. */
async function requireKept(
  database: TestDatabase,
  place: TestPlace,
  receipt: Receipt,
  names: string[],
): Promise<void> {
  const data = await openLeft(database);
  try {
    const rows = new Map((await requireAgreement(data, place)).map((row) => [row.id, row]));
    for (const { id, status } of receipt.assets) {
      const row = must(rows.get(id));
      expect(life.indexOf(row.status)).toBeGreaterThanOrEqual(life.indexOf(status));
    }
    const remaining = new Set(
      (await rowsOf(database.url, "select dedupe_key from events")).map((row) => sentKey(row.dedupe_key)),
    );
    for (const keys of receipt.keys) expect(keys.filter((key) => !remaining.has(key))).toEqual([]);
    for (const name of names) expect(remaining.has(`${name}-1`)).toBe(remaining.has(`${name}-2`));
    const opened = await rowsOf(
      database.url,
      "select count(*) as count from events where kind = 'issue.opened'",
    );
    expect(Number(opened[0]?.count)).toBeGreaterThanOrEqual(receipt.deliveries);
    if (database.dialect === "sqlite")
      expect(await rowsOf(database.url, "pragma integrity_check")).toEqual([{ integrity_check: "ok" }]);
  } finally {
    await data.close();
  }
}

async function openTarget(dialect: Dialect, place: StorePlace) {
  const stack = new AsyncDisposableStack();
  const opened = stack.use(await openPlace(place));
  const database = stack.use(await migratedDatabase(dialect));
  const data = await openLeft(database);
  await link(data, "atlas");
  await data.close();
  const start = async () => {
    const begun = performance.now();
    const server = await startServer(database, { ...opened.env, ...env });
    measured("restart", performance.now() - begun);
    return server;
  };
  return { opened, database, start, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

const traceable = scale !== "suite" && (await canTrace());
/** A deployment is checked after this many: the check reads all of it. */
const together = 5;

describe.skipIf(!traceable).each(combinations)("on $dialect and $place", ({ dialect, place }) => {
  let points: { call: string; nth: number }[];
  let errorPoints: typeof points;
  beforeAll(async () => {
    await using folder = await temporaryFolder();
    await using target = await openTarget(dialect, place);
    await using server = await target.start();
    await everything(server, "warm", nothing());
    const trace = (names: string[]) =>
      callsDuring(must(server.process.pid), names, join(folder.path, "trace"), () =>
        everything(server, crypto.randomUUID(), nothing()),
      );
    points = pointsOf(await trace(callsOf.all));
    errorPoints = pointsOf(await trace(callsOf.files));
  });

  test("a crash at any of the calls loses nothing that was acknowledged, and leaves nothing half done", async () => {
    const chosen = spread(points, times("callKills"));
    for (let at = 0; at < chosen.length; at += together) {
      await using target = await openTarget(dialect, place);
      const receipt = nothing();
      const names: string[] = [];
      for (const { call, nth } of chosen.slice(at, at + together)) {
        await using server = await target.start();
        const name = `${call}-${nth}`;
        names.push(name);
        await using _ = await killAt(must(server.process.pid), call, nth);
        receipt.cut = false;
        await everything(server, name, receipt);
        expect([name, receipt.refusals]).toEqual([name, []]);
        await server.kill();
      }
      await requireKept(target.database, target.opened, receipt, names);
      reached("callKills", names.length);
    }
    if (chosen.length === points.length) triedAll("callKills");
  });

  test("an error of any of the calls, once or from then on, is a 5xx that changes nothing, and is over when it is over", async () => {
    const cases = errorPoints.flatMap((point) => [false, true].map((onwards) => ({ ...point, onwards })));
    const chosen = spread(cases, times("callErrors"));
    await using target = await openTarget(dialect, place);
    let server = await target.start();
    try {
      for (const [index, { call, nth, onwards }] of chosen.entries()) {
        const name = `${call}-${nth}${onwards ? "-on" : ""}`;
        const receipt = nothing();
        const traced = await failAt(
          must(server.process.pid),
          call,
          nth,
          index % 2 ? "EIO" : "ENOSPC",
          onwards,
        );
        await everything(server, name, receipt).finally(traced.detach);
        expect([name, receipt.cut, receipt.refusals.filter(({ status }) => status < 500)]).toEqual([
          name,
          false,
          [],
        ]);
        const after = nothing();
        await everything(server, `${name}-after`, after);
        expect([name, after.refusals, after.assets.length, after.deliveries]).toEqual([name, [], 5, 1]);
        if (index % together === together - 1 || index === chosen.length - 1) {
          expect(await server.terminate()).toBe(0);
          await requireKept(target.database, target.opened, { ...after, deliveries: 1 }, [
            name,
            `${name}-after`,
          ]);
          server = await target.start();
        }
        reached("callErrors");
      }
      if (chosen.length === cases.length) triedAll("callErrors");
    } finally {
      await server.close();
    }
  });
});

describe.skipIf(!traceable)("before it answers", () => {
  let target: Awaited<ReturnType<typeof openTarget>>;
  beforeAll(async () => {
    target = await openTarget("sqlite", "disk");
  });
  afterAll(() => target[Symbol.asyncDispose]());

  test("the server has what it acknowledges on the disk: bytes, their name, and the row", async () => {
    await using folder = await temporaryFolder();
    await using server = await target.start();
    await everything(server, "warm", nothing());
    const calls = await callsDuring(must(server.process.pid), callsOf.all, join(folder.path, "trace"), () =>
      everything(server, "traced", nothing()),
    );
    const answers = calls.flatMap(({ text }, index) => (/"HTTP\/1\.1 20/.test(text) ? [index] : []));
    expect(answers.length).toBeGreaterThanOrEqual(8);
    let before = 0;
    for (const answer of answers) {
      const own = calls.slice(before, answer);
      const last = (names: RegExp) => own.findLastIndex(({ name }) => names.test(name));
      expect(last(/^f(data)?sync$/)).toBeGreaterThanOrEqual(last(/^(pwrite64|link|rename)/));
      before = answer + 1;
      reached("callOrder");
    }
  });
});

/** Seeds a deployment with a row of every kind, and compares two deployments after a backup and restore. */
import { expect } from "bun:test";
import type { Data } from "../../../src/api/port.ts";
import { jsonInKeyOrder } from "../../../src/core/lib/key-order.ts";
import { hashObject } from "../../../src/files/stores/objects.ts";
import { png, zip } from "../assets/media.ts";
import { event, must } from "../harness.ts";
import { file, type Library } from "../library.ts";

export interface SeededData {
  /** Signed URL of an image. */
  view: string;
  /** Public URL of a published page. */
  published: string;
  /** An upload whose file is stored but not finalized. */
  pending: Parameters<Library["finalize"]>[0];
}

export async function seedDeployment(library: Library): Promise<SeededData> {
  const { data } = library.ctx;
  const image = (
    await library.upload({ project: "atlas", issue: "7" }, file("a.png", Buffer.from(png(64, 48))))
  ).body;
  const pages = [
    { name: "index.html", data: "<!doctype html><script src=js/a.js></script>" },
    { name: "js/a.js", data: "1" },
  ];
  const page = (await library.upload({ project: "atlas" }, file("site.zip", Buffer.from(zip(pages))))).body;
  await library.review(page.id, { decision: "approved", note: "Fine." });
  const published = (await library.publish(page.id)).body;
  await library.review(image.id, { decision: "rejected", note: "Too dark, ünd \u{1F319}." });
  await library.upload({ project: "atlas", replaces: image.id }, file("b.png", Buffer.from(png(48, 64))));
  const plain = (await library.upload({ project: "atlas" }, file("plain.txt", "plain"))).body;
  await library.review(plain.id, { decision: "approved" });
  await library.publish(plain.id);
  await library.settled();
  const reserved = (await library.presign({ filename: "later.txt", content_type: "text/plain" })).body;
  await library.put(reserved, "bytes of later");
  await data.atomically(async (writes) => {
    await writes.addBudget({
      ...{ project: "atlas", team: null, person: null, lane: "lane_a", model: null },
      ...{ period: "month", amount: 1 },
      ...{ since: "2026-03-01", changed_by: "human:zoe", changed_at: 4 },
    });
    await writes.append([
      ...[1, 2, 3].map((n) =>
        event({
          project: "atlas",
          kind: "issue.opened",
          issue: n,
          dedupe_key: `k${n}`,
          summary: `Берег ${n} \u{1F30A}`,
        }),
      ),
      event({
        project: "atlas",
        kind: "run.finished",
        lane: "lane_a",
        model: "m",
        tokens_in: 12,
        cost_equiv: 0.1 + 0.2,
        payload: { ts: "\u0000" },
      }),
    ]);
    const text = {
      project: "atlas",
      text: "Use the berth map",
      source: "cli",
      source_ref: null,
      actor: "human:zoe",
      valid_from: 5,
    };
    const first = must(await writes.addDecision(text));
    await writes.addDecision({ ...text, text: "Use the tide map", supersedes: first.id });
    await writes.setPreference({
      project: null,
      key: "style",
      value: "plain",
      source: "cli",
      source_ref: null,
      actor: "human:zoe",
      valid_from: 6,
    });
    await writes.saveModel({
      ...{
        id: "m",
        provider: "p",
        lanes: ["lane_a"],
        guidance_count: 0,
        skill_count: 0,
        onboarded_at: 1,
        refreshed_at: null,
      },
    });
    await writes.saveGuidance(
      "m",
      "https://x.test/",
      [{ file: "a.md", path: ["A", "B"], text: "Say little." }],
      7,
    );
    await writes.addToken({
      name: "old",
      hash: "00",
      scopes: ["feed:read"],
      projects: ["atlas"],
      created_at: 1,
      expires_at: null,
    });
    await writes.setSetting("signing_secret", "kept");
    await writes.summarizeUsage("atlas", 100);
    await writes.addOutbox({
      marker: "m1",
      ...{ forge: "github", host: "github.com", repo: "acme/atlas", is_pull: false },
      number: 7,
      body: "Rejected.",
      due_at: 1,
      created_at: 1,
    });
  });
  await library.ctx.audit.close(); // flush token usage now, not in the middle of a test
  return { view: must(image.url), published: must(published.public_url), pending: reserved };
}

/** Returns every row as JSON by table, sorted the same way for both databases. */
export async function readAllRows(data: Data): Promise<Map<string, string[]>> {
  await data.usage("atlas", "2000-01-01"); // sums up the newest events first
  return data.snapshot(async (all) => {
    const tables = new Map<string, string[]>();
    for (const table of all.tables) {
      const rows = (await Array.fromAsync(all.rows(table))).flat();
      tables.set(table, rows.map(jsonInKeyOrder).sort());
    }
    return tables;
  });
}

/** Expects the same rows in `to`, except for the audit entry of the restore. */
export async function expectSameRows(from: Map<string, string[]>, to: Data): Promise<void> {
  for (const [table, rows] of await readAllRows(to)) {
    const compared = table === "audit" ? rows.filter((row) => !/"what":"(restore|import)"/.test(row)) : rows;
    expect([table, compared]).toEqual([table, from.get(table) as string[]]);
  }
}

/** Returns the SHA-256 of every stored object by `store/key`. */
export async function hashObjects({
  store,
  publicStore,
}: Pick<Library, "store" | "publicStore">): Promise<Record<string, string>> {
  const hashes: Record<string, string> = {};
  for (const [name, one] of Object.entries({ private: store, public: publicStore }))
    for await (const { key } of one.list(""))
      hashes[`${name}/${key}`] = must(await hashObject(one, key)).sha256;
  return hashes;
}

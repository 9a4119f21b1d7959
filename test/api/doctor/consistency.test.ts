/** `svc doctor` reports each problem in exactly one line that names it, and none for a healthy deployment. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { CreateMultipartUploadCommand } from "@aws-sdk/client-s3";
import { SQL } from "bun";
import { checkFiles } from "../../../src/api/doctor/files.ts";
import { checkRows } from "../../../src/api/doctor/inconsistencies.ts";
import { secondMicros } from "../../../src/core/lib/time.ts";
import { s3Client } from "../../../src/files/stores/s3/client.ts";
import { defaultTimeouts } from "../../../src/files/stores/s3/location.ts";
import { cleanUpAssets } from "../../../src/library/assets/cleanup/retention.ts";
import { png, zip } from "../../support/assets/media.ts";
import { seedDeployment } from "../../support/database/seeded-deployment.ts";
import { fileOf, must, program, temporaryFolder } from "../../support/harness.ts";
import { deployments, file, type Library, openLibrary } from "../../support/library.ts";

const hour = 3_600 * secondMicros;

const pages = [{ name: "index.html", data: "<!doctype html>" }];
const isProblem = ({ level }: { level: string }): boolean => level !== "ok";

/** Damages the rows directly, bypassing the data layer. */
async function runStatements({ url }: Library, ...statements: string[]): Promise<void> {
  const sql = new SQL(url.replace(/^sqlite:/, "sqlite://"), { max: 1 });
  for (const statement of statements) await sql.unsafe(statement);
  await sql.close();
}

/** Creates what a write leaves behind when its process dies. @returns its name */
async function interruptWrite(library: Library): Promise<string> {
  if (!library.s3) {
    const name = "_tmp/01ARZ3NDEKTSV4RRFFQ69G5FAV";
    const path = join(must(library.env.SVC_DATA_DIR), "assets-local/private", name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, "half");
    return name;
  }
  const key = "_pending/01ARZ3NDEKTSV4RRFFQ69G5FAV";
  const client = s3Client(
    { ...library.s3.place, prefix: "some/where/private" },
    defaultTimeouts,
    () => new Date(library.clock.now() / 1000),
  );
  await client.send(new CreateMultipartUploadCommand(client.target(key)));
  library.clock.advance(2 * hour);
  return key;
}

describe.each(deployments)("on $dialect and $place", ({ dialect, place }) => {
  let library: Library;
  let [image, page, plain] = ["", "", ""];
  beforeAll(async () => {
    library = await openLibrary(dialect, place);
    await seedDeployment(library);
    await damage("delete from outbox");
    image = (await library.upload({ project: "atlas" }, file("c.png", Buffer.from(png(9, 9))))).body.id;
    page = (await library.upload({ project: "atlas" }, file("d.zip", Buffer.from(zip(pages))))).body.id;
    plain = (await library.upload({ project: "atlas" }, file("e.txt", "plain"))).body.id;
    for (const id of [page, plain]) await library.review(id, { decision: "approved" });
    for (const id of [page, plain]) await library.publish(id);
  });
  afterAll(() => library.close());

  const damage = (...statements: string[]) => runStatements(library, ...statements);
  const rows = async (deep = false) => (await checkRows(library.ctx, { deep })).filter(isProblem);
  const bytes = async (deep = false) => (await checkFiles(library.ctx, { deep })).filter(isProblem);
  const never = dialect === "sqlite" ? "0" : "false";

  test("a healthy deployment has no findings", async () => {
    expect([await rows(true), await bytes(true)]).toEqual([[], []]);
  });

  test("wrong counters, totals and indexes are each reported, and recalculated by --fix", async () => {
    const damages: [string, RegExp, ...string[]][] = [
      ["counters", /projects \(atlas\)/, "update projects set events_count = events_count + 1"],
      ["counters", /\(atlas\)/, "update projects set decisions_count = 0"],
      ["counters", /\(atlas\)/, "update projects set last_activity = null"],
      [
        "open issues",
        /\(atlas 2\)/,
        `update issues set open = ${never} where number = 2`,
        "update projects set open_issues = open_issues - 1",
      ],
      ["usage", /\(atlas \d{4}-\d\d-\d\d\)/, "update usage set tokens_in = tokens_in + 1"],
      ["usage", /\(atlas/, "delete from usage"],
      [
        "usage",
        /\(atlas/,
        "insert into usage (project, day, lane, model, runs, failures, merges) values ('atlas', '2020-01-01', '', '', 1, 0, 0)",
      ],
      ["budgets", /\(atlas, lane_a, month \d{4}-\d\d-01\)/, "update budget_periods set spent = spent + 1"],
      ["budgets", /\(atlas, lane_a/, "delete from budget_periods"],
      ["feed head", /behind/, "update feed_head set id = id - 1"],
      ["review queue", /wrong order/, `update assets set waiting = 0 where id = '${image}'`],
      [
        "recall index",
        /\(decisions\)/,
        `delete from decision_terms where ${dialect === "sqlite" ? "rowid" : "id"} = 1`,
      ],
    ];
    for (const [what, pattern, ...statements] of damages) {
      await damage(...statements);
      const found = await rows();
      expect([statements[0], found]).toEqual([
        statements[0],
        [{ what, level: "error", detail: expect.stringMatching(pattern) }],
      ]);
      expect(must(found[0]).detail).toContain("svc doctor --fix");
      await library.ctx.data.rebuildDerivedRows(
        (await library.ctx.data.findInconsistencies()).map(({ kind }) => kind),
      );
      expect([statements[0], await rows()]).toEqual([statements[0], []]);
    }
    const found = await library.ctx.data.search(null, "decision", {
      match: { term: "tide" },
      order: "likeness",
      limit: 5,
    });
    expect(found.length).toBe(1);
  });

  test("problems with versions, reviews, publications and the outbox are each reported, and not changed", async () => {
    const [rejected] = (await library.ctx.data.assets(null, { limit: 50 })).filter(
      ({ status }) => status === "superseded",
    );
    const old = must(rejected).id;
    const now = library.clock.now();
    const damages: [string, RegExp, string, string][] = [
      [
        "versions",
        new RegExp(old),
        "update assets set version = 3 where version = 2",
        "update assets set version = 2 where version = 3",
      ],
      [
        "versions",
        new RegExp(old),
        `update assets set status = 'rejected' where id = '${old}'`,
        `update assets set status = 'superseded' where id = '${old}'`,
      ],
      [
        ...(["published assets", new RegExp(plain)] as const),
        `update assets set public_url = null where id = '${plain}'`,
        `update assets set public_url = 'http://svc.test/media/x' where id = '${plain}'`,
      ],
      [
        ...(["rejections", new RegExp(image)] as const),
        `update assets set status = 'rejected', waiting = 0 where id = '${image}'`,
        `update assets set status = 'pending', waiting = 1 where id = '${image}'`,
      ],
      [
        ...(["uploads", /atlas/] as const),
        "update events set kind = 'asset.reviewed' where ts = (select max(ts) from events where kind = 'asset.uploaded')",
        `update events set kind = 'asset.uploaded' where ts = (select max(ts) from events where kind = 'asset.reviewed' and wire like '%"summary":"Uploaded%')`,
      ],
      [
        ...(["outbox", /acme\/atlas#7/] as const),
        `insert into outbox (marker, repo, number, body, due_at, created_at) values ('x', 'acme/atlas', 7, '', ${now - hour}, 1)`,
        "delete from outbox",
      ],
      [
        ...(["cleanup", new RegExp(image)] as const),
        `update assets set expires_at = ${now - 2 * hour} where id = '${image}'`,
        `update assets set expires_at = null where id = '${image}'`,
      ],
    ];
    for (const [what, pattern, statement, undo] of damages) {
      await damage(statement);
      const found = (await rows()).filter((one) => one.what !== "recall index");
      expect([statement, found]).toEqual([
        statement,
        [{ what, level: expect.any(String), detail: expect.stringMatching(pattern) }],
      ]);
      await damage(undo);
      expect([undo, await rows()]).toEqual([undo, []]);
    }
  });

  test("missing, truncated, changed and orphaned files are each reported by key", async () => {
    const { store, publicStore, ctx } = library;
    const put = (one: typeof store, key: string, text: string) =>
      one.put(key, new Blob([text]).stream(), { type: "text/plain", maxBytes: 99 });
    const key = must(must(await ctx.data.asset(null, plain)).key);
    const publicKey = must((await library.keys(publicStore)).find((one) => one.includes(plain)));
    const lost = (await library.keys()).filter((one) =>
      [image, page].some((id) => one.startsWith(`_variants/${id}/`)),
    );
    expect(lost.length).toBe(2);
    for (const one of lost) {
      const remaining = await new Response(must(await store.get(one)).body).bytes();
      await store.delete(one);
      const [what, fix] = one.includes(page)
        ? ["bundle files", "these are lost"]
        : ["missing files", "restore"];
      expect(await bytes()).toEqual([
        { what, level: "error", detail: expect.stringContaining(`${one}: ${fix}`) },
      ]);
      const type = "image/webp";
      await store.put(one, new Blob([remaining]).stream(), { type, maxBytes: remaining.length });
    }
    for (const [one, name] of [
      [store, key],
      [publicStore, publicKey],
    ] as const) {
      const prefix = one === publicStore ? "public " : "";
      await one.delete(name);
      const missing = prefix + (prefix ? `atlas/${plain}/` : name);
      expect(await bytes()).toEqual([
        { what: "missing files", level: "error", detail: expect.stringContaining(missing) },
      ]);
      await put(one, name, "short");
      expect(await bytes()).toEqual([]);
      expect(await bytes(true)).toEqual([
        { what: "changed files", level: "error", detail: expect.stringContaining(`${prefix}${name}: these`) },
      ]);
      await one.delete(name);
      await put(one, name, "longer");
      expect(await bytes()).toEqual([
        { what: "changed files", level: "error", detail: expect.stringContaining(`${prefix}${name}: these`) },
      ]);
      await one.delete(name);
      await put(one, name, "plain");
    }
    const orphan = `atlas/01ARZ3NDEKTSV4RRFFQ69G5FAV/x.txt`;
    await put(store, orphan, "x");
    expect(await bytes(true)).toEqual([]); // its row may not be written yet
    const at = library.clock.now();
    library.clock.advance(2 * hour);
    expect(await bytes()).toEqual([
      {
        what: "orphaned files",
        level: "warning",
        detail: expect.stringContaining(`${orphan}: no asset uses`),
      },
    ]);
    await cleanUpAssets(ctx);
    expect(await bytes()).toEqual([]);
    const left = await interruptWrite(library);
    expect(await bytes()).toEqual([
      { what: "partial writes", level: "warning", detail: expect.stringContaining(left) },
    ]);
    await cleanUpAssets(ctx);
    expect(await bytes()).toEqual([]);
    library.clock.set(new Date(at / 1000).toISOString());
  });
});

test("svc doctor reports problems, repairs them with --fix, and exits 1 while an error remains", async () => {
  await using folder = await temporaryFolder();
  const env = { SVC_DATA_DIR: folder.path };
  await program(["project", "link", "atlas", "--repo", "acme/atlas"], env);
  await writeFile(join(folder.path, "a.txt"), "some words");
  await program(["asset", "push", join(folder.path, "a.txt"), "--project", "atlas"], env);
  const doctor = async (...flags: string[]) => {
    const { code, output } = await program(["doctor", "--json", ...flags], env);
    const found = output
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    return {
      code,
      found: found.filter(
        ({ what, level }) => level !== "ok" && !/configuration|ffmpeg|pdf|poppler|chrom/i.test(what),
      ),
    };
  };
  const helpers = (await doctor("--deep")).found;
  expect(helpers.filter(({ detail }) => !/^not found/.test(detail))).toEqual([]);
  const sql = new SQL(`sqlite://${fileOf({ url: `sqlite:${join(folder.path, "svc.db")}` })}`);
  await sql.unsafe("update projects set events_count = 7");
  await sql.close();
  const { code, found } = await doctor();
  expect({ code, found: found.slice(helpers.length) }).toMatchObject({
    code: 1,
    found: [{ what: "counters", level: "error" }],
  });
  expect(await doctor("--fix")).toEqual({ code: 0, found: helpers });
});

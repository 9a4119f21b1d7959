/** Published URLs and what a bucket says of published objects. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Asset } from "../../../src/library/assets/schema.ts";
import { zip } from "../../support/assets/media.ts";
import {
  dialects,
  must,
  program,
  programToken,
  startServer,
  temporaryFolder,
} from "../../support/harness.ts";
import { file, type Library, openLibrary } from "../../support/library.ts";

async function published(library: Library, sent: File): Promise<Asset> {
  const { id } = (await library.upload({ project: "atlas" }, sent)).body;
  await library.review(id, { decision: "approved" });
  return (await library.publish(id)).body;
}

describe.each(dialects)("the URL of an asset in a local public store on %s", (dialect) => {
  test("uses the current site URL, wherever the asset was published", async () => {
    await using library = await openLibrary(dialect, "disk");
    const { id, public_url } = await published(library, file());
    expect(public_url).toBe(`http://svc.test/media/atlas/${id}/note.txt`);
    Object.assign(library.ctx.config, {
      siteUrl: "https://moved.example",
      contentUrl: "https://moved.example",
    });
    const moved = `https://moved.example/media/atlas/${id}/note.txt`;
    expect((await library.say(`/assets/${id}`)).body.public_url).toBe(moved);
    expect((await library.say<{ assets: Asset[] }>("/assets")).body.assets[0]?.public_url).toBe(moved);
    expect((await library.publish(id)).body.public_url).toBe(moved);
  });
});

test("svc asset publish beside a server on another port keeps no port of its own", async () => {
  await using folder = await temporaryFolder();
  const env = { SVC_DATA_DIR: folder.path };
  await program(["project", "link", "atlas", "--repo", "acme/atlas"], env);
  await using server = await startServer({ url: `sqlite:${join(folder.path, "svc.db")}` }, env);
  await Bun.write(join(folder.path, "a.txt"), "words");
  const pushed = await program(
    ["asset", "push", join(folder.path, "a.txt"), "--project", "atlas", "--json"],
    env,
  );
  const { id } = JSON.parse(pushed.output);
  await program(["asset", "review", id, "approved"], env);
  expect((await program(["asset", "publish", id], env)).code).toBe(0);
  const headers = { authorization: `Bearer ${programToken}` };
  const asset = (await (await fetch(`${server.origin}/api/v1/assets/${id}`, { headers })).json()) as Asset;
  expect(asset.public_url).toBe(`${server.origin}/media/atlas/${id}/a.txt`);
  expect(await (await fetch(must(asset.public_url))).text()).toBe("words");
});

test("published objects in a bucket have Cache-Control and Content-Disposition", async () => {
  await using library = await openLibrary("sqlite", "bucket");
  const of = async (url: string | null) => {
    const { headers } = await fetch(must(url));
    return [headers.get("cache-control"), headers.get("content-disposition")];
  };
  const anHour = "public, max-age=3600, must-revalidate";
  const shown = await published(library, file("note.txt"));
  expect(await of(shown.public_url)).toEqual([
    anHour,
    "inline; filename=\"note.txt\"; filename*=UTF-8''note.txt",
  ]);
  const saved = await published(library, file("data.bin", new Uint8Array([0, 1, 2, 255])));
  expect(await of(saved.public_url)).toEqual([
    anHour,
    "attachment; filename=\"data.bin\"; filename*=UTF-8''data.bin",
  ]);
  // In parts, which S3 is told of in another request.
  const large = await published(library, file("large.bin", new Uint8Array(6 * 2 ** 20)));
  expect(await of(large.public_url)).toEqual([
    anHour,
    "attachment; filename=\"large.bin\"; filename*=UTF-8''large.bin",
  ]);
  const pages = [
    { name: "index.html", data: "<!doctype html><script src=a.js></script>" },
    { name: "a.js", data: "1" },
  ];
  const bundle = await published(library, file("site.zip", Buffer.from(zip(pages))));
  expect(await of(bundle.public_url)).toEqual([
    anHour,
    "inline; filename=\"index.html\"; filename*=UTF-8''index.html",
  ]);
  expect(await of(must(bundle.public_url).replace("index.html", "a.js"))).toEqual([
    anHour,
    "inline; filename=\"a.js\"; filename*=UTF-8''a.js",
  ]);
});

/** svc asset push of a folder of many files, and of a file that was already rejected. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import type { Asset } from "../../src/library/assets/schema.ts";
import { useLinkedServer } from "../support/agents/linked-server.ts";
import { command } from "../support/commands/command.ts";
import { programToken } from "../support/harness.ts";

const linked = useLinkedServer();

const local = () => ({ SVC_DATABASE_URL: linked.database.url, SVC_DATA_DIR: linked.folder.path });
const remote = (token: string = programToken) => ({ SVC_URL: linked.server.origin, SVC_TOKEN: token });
const file = async (name: string, text: string): Promise<string> => {
  const path = join(linked.folder.path, "files", name);
  await Bun.write(path, text);
  return path;
};
const push = (args: string[], token?: string) =>
  command(["asset", "push", ...args, "--project", "atlas"], remote(token));
const mint = async (name: string, scopes: string) => {
  const { output } = await command(["token", "create", name, "--scopes", scopes], local());
  return output.trim();
};
/** Pushes a file and rejects it. @returns the asset */
async function rejected(path: string, note: string): Promise<Asset> {
  const asset = JSON.parse((await push([path, "--json"])).output) as Asset;
  await command(["asset", "review", asset.id, "rejected", "--note", note], remote());
  return asset;
}
const count = async () => {
  const { output } = await command(["asset", "list", "--project", "atlas", "--json"], remote());
  return output.trim().split("\n").filter(Boolean).length;
};

test("stops before the upload with the note, and uploads it with --resubmit, whose reason the reviewer gets", async () => {
  const path = await file("map.txt", "a map");
  const { id } = await rejected(path, "Berth 4 is missing.");
  const before = await count();
  const { code, output, errors } = await push([path]);
  expect([code, output, errors]).toEqual([
    1,
    "",
    expect.stringMatching(
      new RegExp(
        `${path} was not uploaded. This file was already rejected as ${id}, version 1, by token:[^ ]+: ` +
          '"Berth 4 is missing." Change it, or say why you upload it again: --resubmit REASON',
      ),
    ),
  ]);
  expect(await count()).toBe(before);
  const resubmitted = await push([path, "--resubmit", "Berth 4 was closed.", "--json"]);
  expect(resubmitted.errors).toContain("The reviewer sees that too.");
  const asset = JSON.parse(resubmitted.output) as Asset;
  expect(asset.repeats).toMatchObject({ id, reason: "Berth 4 was closed." });
  const shown = await command(["asset", "show", asset.id], remote());
  expect(shown.output).toMatch(/repeats +This file was already rejected .*Berth 4 was closed\./);
  expect((await push([path])).output).toContain("(already uploaded)"); // it waits
});

test("uploads the other files of a folder, and says which it left out", async () => {
  const path = await file("set/old.txt", "an old one");
  const { id } = await rejected(path, "No.");
  const changed = await file("set/new.txt", "a new one");
  const { code, output, errors } = await push([join(linked.folder.path, "files", "set")]);
  expect([code, errors]).toEqual([1, expect.stringContaining(`already rejected as ${id}`)]);
  expect(output).toContain(changed);
});

test("also stops once another version has replaced the rejected one", async () => {
  const path = await file("chain.txt", "version 1");
  const { id } = await rejected(path, "Wrong.");
  const next = await file("chain-2.txt", "version 2");
  expect((await push([next, "--replaces", id])).code).toBe(0);
  const { code, errors } = await push([path]);
  expect([code, errors]).toEqual([1, expect.stringContaining(`already rejected as ${id}`)]);
});

test("with assets:read and assets:write alone it stops; a token that may not read is told after the upload", async () => {
  const path = await file("scopes.txt", "of a token");
  const { id } = await rejected(path, "Not this.");
  const both = await push([path], await mint("both", "assets:read,assets:write"));
  expect([both.code, both.errors]).toEqual([1, expect.stringContaining(`already rejected as ${id}`)]);
  const { code, errors, output } = await push([path], await mint("writer", "assets:write"));
  expect([code, errors]).toEqual([
    0,
    expect.stringContaining(`Warning: This file was already rejected as ${id}`),
  ]);
  expect(output).toContain("scopes.txt");
});

test("a project that refuses such files is named before the upload, with --resubmit too", async () => {
  const path = await file("refused.txt", "refused");
  const { id } = await rejected(path, "Never.");
  const policy = await command(["review-policy", "repeats", "atlas", "refuse"], local());
  expect(policy.errors).toContain("atlas now refuses files that it has rejected");
  const { code, errors } = await push([path, "--resubmit", "Please."]);
  expect([code, errors]).toEqual([
    1,
    expect.stringContaining(`atlas refuses such files: change it, or ask for a review of ${id}.`),
  ]);
  expect((await command(["review-policy", "repeats", "atlas"], remote())).output).toContain("refuses");
  await command(["review-policy", "repeats", "atlas", "accept"], local());
  expect((await push([path, "--resubmit", "Please."])).code).toBe(0);
});

test("asks once about titles and twice about each of the small files, of which eight are on their way", async () => {
  const paths = Array.from({ length: 24 }, (_, index) => `many/${index}.txt`);
  for (const path of paths) await file(path, `the words of ${path}`);
  await file("many/again.txt", "the words of many/7.txt");
  const requests: string[] = [];
  let [inFlight, most] = [0, 0];
  using proxy = Bun.serve({
    port: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      requests.push(`${request.method} ${pathname}`);
      most = Math.max(most, ++inFlight);
      const body = request.body && (await request.arrayBuffer());
      const { method, headers } = request;
      const response = await fetch(linked.server.origin + pathname + search, { method, headers, body });
      inFlight--;
      return new Response(await response.arrayBuffer(), response);
    },
  });
  const env = { ...remote(), SVC_URL: proxy.url.origin };
  const folder = join(linked.folder.path, "files/many");
  const pushed = await command(["asset", "push", folder, "--project", "atlas", "--issue", "77"], env);
  expect(pushed.errors).toContain("Uploaded 24 of 25 files"); // two are the same
  expect(requests.filter((one) => one === "POST /api/v1/assets")).toHaveLength(24);
  expect(requests.filter((one) => one === "GET /api/v1/assets")).toHaveLength(26);
  expect([requests.length, most]).toEqual([50, 8]);
  const printed = [...pushed.output.matchAll(/files\/(many\/\S+)/g)].map(([, path]) => path);
  expect(printed).toEqual([...paths, "many/again.txt"].toSorted());
});

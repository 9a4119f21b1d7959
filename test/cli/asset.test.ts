/** svc asset push and wait: folders, links, replacing the latest version, and waiting for reviews. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Asset } from "../../src/library/assets/schema.ts";
import { useLinkedServer } from "../support/agents/linked-server.ts";
import { runInTerminal } from "../support/agents/pseudo-terminal.ts";
import { command } from "../support/commands/command.ts";
import { must, programToken, runProgram, startServer, until } from "../support/harness.ts";

const linked = useLinkedServer();

const remote = () => ({ SVC_URL: linked.server.origin, SVC_TOKEN: programToken });
const local = () => ({ SVC_DATABASE_URL: linked.database.url, SVC_DATA_DIR: linked.folder.path });
const svc = (...args: string[]) => command(args, remote());
const file = async (name: string, text: string): Promise<string> => {
  const path = join(linked.folder.path, "files", name);
  await Bun.write(path, text);
  return path;
};
/** Uploads one file. @returns the asset */
const push = async (path: string, ...args: string[]): Promise<Asset & { review_url: string }> => {
  const { output, errors } = await svc("asset", "push", path, "--project", "atlas", "--json", ...args);
  expect(errors).toBe("");
  return JSON.parse(output);
};
const review = (id: string, ...args: string[]) => svc("asset", "review", id, ...args);

describe("svc asset push", () => {
  test("uploads the files of a folder with their paths as titles, without hidden files", async () => {
    await file("screens/a.txt", "the first");
    await file("screens/small/a.txt", "the second");
    await file("screens/.hidden", "not an asset");
    const args = [
      "asset",
      "push",
      join(linked.folder.path, "files", "screens"),
      "--project",
      "atlas",
      "--issue",
      "3",
    ];
    const { output, errors } = await svc(...args);
    expect(
      output.match(/^\S{26} {2}version 1 {2}file {2}\S+a\.txt\n {2}http:\S+\/assets\/\S{26}$/gm),
    ).toHaveLength(2);
    expect(errors).toBe(
      `Uploaded 2 of 2 files on ${linked.server.origin}. Review: ${linked.server.origin}/assets?project=atlas&status=pending\n`,
    );
    const listed = (await svc("asset", "list", "--issue", "3", "--json")).output.trim().split("\n");
    expect(listed.map((line) => JSON.parse(line).title).toSorted()).toEqual(["a.txt", "small/a.txt"]);
    expect((await svc(...args)).errors).toContain("Uploaded 0 of 2 files");
  });

  test("--set makes a variant set of the files, and svc asset review-set picks of it", async () => {
    const paths = await Promise.all(
      ["one", "two", "three"].map((name) => file(`set/${name}.txt`, `variant ${name}`)),
    );
    const { errors } = await svc("asset", "push", ...paths, "--project", "atlas", "--set", "hero image");
    expect(errors).toContain("/projects/atlas/sets/hero%20image");
    const listed = await svc("asset", "list", "--set", "hero image", "--json");
    const [picked, ...others] = listed.output
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Asset);
    const set = ["asset", "review-set", "hero image", "--project", "atlas"];
    expect((await svc(...set)).errors).toContain("name variants with --pick");
    const wait = (...args: string[]) => svc("asset", "wait", "--set", "hero image", ...args);
    expect((await wait()).errors).toContain("Missing --project");
    expect((await wait("--project", "atlas", "--timeout", "1s")).code).toBe(3);
    expect((await svc(...set, "--reject", "rest")).errors).toContain("note is required to reject");
    const pick = [...set, "--pick", must(picked).id, "--reject", "rest", "--note", "Too dark."];
    await svc("checklist", "set", "atlas", "file", await file("list.txt", "Logo visible"));
    expect((await svc(...pick)).errors).toContain('answer the required item "');
    const all = await svc(...pick, "--pass", "all");
    await svc("checklist", "remove", "atlas", "file");
    expect(all).toMatchObject({
      code: 0,
      errors: `Set "hero image": 1 approved, 2 rejected on ${linked.server.origin}.\n`,
    });
    const waited = await wait("--project", "atlas");
    expect([waited.code, waited.output.split("\n", 1)[0]]).toEqual([
      0,
      expect.stringContaining(`${must(picked).id}  approved by`),
    ]);
    const again = await svc(...set, "--pick", must(others[0]).id, "--json");
    expect([again.code, JSON.parse(again.output).refused]).toEqual([1, 1]);
    expect(again.errors).toContain(`${must(others[0]).id} was not reviewed: `);
  });

  test("links to the page where the asset is reviewed", async () => {
    const { id, review_url } = await push(await file("linked.txt", "linked"));
    expect(review_url).toBe(`${linked.server.origin}/assets/${id}`);
  });

  test("--replaces latest makes the next version of the asset with the same title and task, if there is one", async () => {
    const path = await file("map.txt", "version one");
    const first = await push(path, "--issue", "7", "--replaces", "latest");
    expect([first.version, first.parent_id]).toEqual([1, null]);
    await file("map.txt", "version one of another task");
    expect((await push(path, "--issue", "8", "--replaces", "latest")).version).toBe(1);
    await file("map.txt", "version two");
    const second = await push(path, "--issue", "7", "--replaces", "latest");
    expect([second.version, second.parent_id]).toEqual([2, first.id]);
    await file("map.txt", "version three");
    expect((await push(path, "--issue", "7", "--replaces", "latest")).parent_id).toBe(second.id);
  });

  test("--replaces keeps the title of the replaced version unless it is given another", async () => {
    const first = await push(await file("draft-a.txt", "first draft"), "--title", "Map of the bay");
    const second = await push(await file("draft-b.txt", "second draft"), "--replaces", first.id);
    expect([second.version, second.title]).toEqual([2, "Map of the bay"]);
    const renamed = ["--replaces", second.id, "--title", "Map of the harbor"];
    expect((await push(await file("draft-c.txt", "third"), ...renamed)).title).toBe("Map of the harbor");
  });

  test("says how to replace an asset with the same title and task, and does not without being asked", async () => {
    const path = await file("hint.txt", "one");
    const first = await push(path);
    await file("hint.txt", "two");
    const { code, output, errors } = await svc("asset", "push", path, "--project", "atlas");
    expect([code, output]).toEqual([0, expect.stringContaining("version 1")]);
    expect(errors).toContain(
      `"hint.txt" (atlas) is pending, version 1 (${first.id}). To replace such an asset: --replaces latest\n`,
    );
  });

  test.each([
    ["y", 2],
    ["n", 1],
  ])(
    "asks on a terminal whether to replace an asset with the same title and task: %s",
    async (answer, version) => {
      const path = await file(`asked-${answer}.txt`, `one, then ${answer}`);
      await push(path);
      await file(`asked-${answer}.txt`, `two, then ${answer}`);
      await using pushing = runInTerminal(["asset", "push", path, "--project", "atlas"], remote());
      await until(() => pushing.output().includes("Replace it with a new version? [y/N]"), "the question");
      pushing.type(`${answer}\r`);
      expect(await pushing.ended).toBe(0);
      expect(pushing.output()).toContain(`version ${version}  file`);
    },
  );

  test("takes the project from the Git remote if one project is linked to it, and says which", async () => {
    const path = await file("checkout/a.txt", "of a checkout");
    const folder = join(linked.folder.path, "files", "checkout");
    const pushFrom = async (origin: string) => {
      await Bun.write(join(folder, ".git/config"), `[remote "origin"]\n\turl = ${origin}\n`);
      await using pushing = runProgram(["asset", "push", path], remote(), ["env", "-C", folder]);
      return [await pushing.ended, pushing.errors()] as const;
    };
    const [code, errors] = await pushFrom("https://me:secret@github.com/acme/Atlas.git");
    expect([code, errors.split("\n")[0]]).toEqual([0, "Project atlas, linked to acme/Atlas."]);
    expect(await pushFrom("git@github.com:acme/other.git")).toEqual([
      2,
      "svc: Missing --project: none is linked to acme/other. See svc project list.\n",
    ]);
    expect(await pushFrom("/srv/git/atlas.git")).toEqual([
      2,
      "svc: Missing --project: this folder has no Git remote to take it from.\n",
    ]);
    await command(["project", "link", "bay", "--repo", "acme/atlas", "--forge", "gitlab"], local());
    expect(await pushFrom("git@work-alias:acme/atlas.git")).toEqual([
      2,
      expect.stringMatching(/^svc: Missing --project: several are linked to acme\/atlas: \w+, \w+\.\n$/),
    ]);
    expect((await pushFrom("git@gitlab.com:acme/atlas.git"))[1]).toStartWith("Project bay, linked to");
    for (const words of [["brief"], ["project", "show"], ["checklist", "list"], ["review-policy", "list"]]) {
      await using running = runProgram(words, remote(), ["env", "-C", folder]);
      expect([words, await running.ended]).toEqual([words, 0]);
      expect(running.errors()).toStartWith("Project bay, linked to acme/atlas.\n");
    }
  });

  test("warns of an empty file, and says what an asset that was uploaded before keeps", async () => {
    const path = await file("empty.txt", "");
    const first = await svc("asset", "push", path, "--project", "atlas", "--issue", "9");
    expect(first.errors).toStartWith(`Warning: ${path} is empty (0 bytes).\n`);
    const again = await svc("asset", "push", path, "--project", "atlas", "--title", "New", "--tags", "a");
    const id = must(/^\S+/.exec(again.output)?.[0]);
    expect(again.errors).toContain(
      `${path} keeps title "empty.txt", no tags. To upload it with other values: --replaces ${id}\n`,
    );
    expect((await svc("asset", "push", path, "--project", "atlas", "--issue", "9")).errors).not.toContain(
      "keeps",
    );
  });

  test("uploads nothing if a file is missing, or an ID to replace is given for several", async () => {
    const path = await file("one.txt", "one");
    const missing = await svc(
      "asset",
      "push",
      path,
      join(linked.folder.path, "missing"),
      "--project",
      "atlas",
    );
    expect([missing.code, missing.output, missing.errors]).toEqual([
      1,
      "",
      `svc: File not found: ${join(linked.folder.path, "missing")}\n`,
    ]);
    const several = await svc("asset", "push", path, path, "--project", "atlas", "--replaces", "01J");
    expect([several.code, several.output]).toEqual([2, ""]);
  });
});

describe.each([
  ["a server", remote],
  ["a local database", local],
])("svc asset wait on %s", (_, env) => {
  const pushed = async () => (await push(await file("waited.txt", crypto.randomUUID()))).id;
  const wait = (...args: string[]) => runProgram(["asset", "wait", ...args], env());

  test("exits with 0 when every asset is approved", async () => {
    const ids = [await pushed(), await pushed()];
    await review(ids[0] as string, "approved");
    await using waiting = wait(...ids);
    await until(() => waiting.output().includes("approved"), "the approved asset is printed");
    expect(waiting.process.exitCode).toBeNull();
    await review(ids[1] as string, "approved");
    expect(await waiting.ended).toBe(0);
    expect(
      waiting.output().match(/ {2}approved by token:env:\S+ {2}"waited.txt", version 1$/gm),
    ).toHaveLength(2);
  });

  test("exits with 1 and the note when one is rejected, without waiting for the others", async () => {
    const [rejected, other] = [await pushed(), await pushed()];
    await using waiting = wait(rejected, other);
    await review(rejected, "rejected", "--note", "Too dark");
    expect(await waiting.ended).toBe(1);
    expect(waiting.output()).toMatch(/^\S+ {2}rejected by \S+ {2}"waited.txt", version 1: Too dark\n$/);
  });

  test("exits with 3 after the timeout", async () => {
    await using waiting = wait(await pushed(), "--timeout", "1s");
    expect(await waiting.ended).toBe(3);
    expect([waiting.output(), waiting.errors()]).toEqual(["", "No review within 1s.\n"]);
  });

  test("fails for an unknown asset", async () => {
    await using waiting = wait("01J9ZC5W8Q4T3M2N1K0H7G6F5D");
    expect([await waiting.ended, waiting.errors()]).toEqual([
      1,
      "svc: No asset with id '01J9ZC5W8Q4T3M2N1K0H7G6F5D'.\n",
    ]);
  });
});

test("svc asset wait survives a restart of the server", async () => {
  const { id } = await push(await file("restarted.txt", "restarted"));
  const { id: marker } = await push(await file("marker.txt", "marker"));
  await using waiting = runProgram(["asset", "wait", marker, id], remote());
  await review(marker, "approved");
  await until(() => waiting.output().includes("approved"), "it waits for the other asset");
  const { port } = new URL(linked.server.origin);
  await linked.server.terminate();
  linked.server = await startServer(linked.database, { SVC_DATA_DIR: linked.folder.path }, ["--port", port]);
  await review(id, "approved");
  expect([await waiting.ended, waiting.errors()]).toEqual([0, ""]);
  expect(must(waiting.output().trim().split("\n").at(-1))).toContain(id);
});

test("svc asset wait needs only assets:read: without feed:read it polls", async () => {
  const { id } = await push(await file("polled.txt", "polled"));
  const created = await command(["token", "create", "poller", "--scopes", "assets:read"], local());
  await using waiting = runProgram(["asset", "wait", id, "--json"], {
    ...remote(),
    SVC_TOKEN: created.output.trim(),
  });
  await review(id, "approved");
  expect(await waiting.ended).toBe(0);
  expect(JSON.parse(waiting.output())).toMatchObject({ id, status: "approved" });
});

/** What decisions speak of in a checkout: files, folders, and symbols, as its history changes them. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { anchorStates, withAnchorStates } from "../../../cli/repository/anchor-states.ts";
import { anchorsIn, givenAnchors } from "../../../cli/repository/given-anchors.ts";
import type { Anchor } from "../../../src/memory/anchor-schema.ts";
import { must } from "../../support/harness.ts";

let folder: string;

function git(args: string[], env: Record<string, string> = {}): void {
  const identity = [
    "-c",
    "user.name=Mara",
    "-c",
    "user.email=mara@example.com",
    "-c",
    "commit.gpgsign=false",
  ];
  const { success, stderr } = Bun.spawnSync(["git", "-C", folder, ...identity, ...args], {
    env: { ...process.env, ...env },
  });
  if (!success) throw new Error(stderr.toString());
}
/** Commits at noon of a day in March. */
function commit(day: number): void {
  const date = `2026-03-0${day}T12:00:00Z`;
  git(["add", "-A"]);
  git(["commit", "-q", "-m", `Day ${day}`], { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date });
}
function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}
const code = (name: string) =>
  `export function ${name}(cents: number) {\n${Array.from({ length: 20 }, (_, line) => `  // line ${line}`).join("\n")}\n}\n`;
const anchor = (path: string, fields: Partial<Anchor> = {}): Anchor => ({
  decision: 1,
  path,
  symbol: null,
  blob: null,
  since: "2026-03-01T18:00:00Z",
  ...fields,
});
/** No test is about how long it takes. */
const patience = 20_000;
const statesOf = (anchors: Anchor[], place = folder) => anchorStates(place, anchors, "HEAD", patience);
const stateOf = (path: string, fields?: Partial<Anchor>) => statesOf([anchor(path, fields)])?.[0];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-anchors-"));
  git(["init", "-q", "-b", "main"]);
  for (const name of ["same", "edited", "moved", "movedTwice", "movedAndEdited", "deleted"])
    write(`src/${name}.ts`, code(name));
  write("docs/a file.md", "# One\n");
  commit(1);
  write("src/edited.ts", `${code("edited")}// more\n`);
  renameSync(join(folder, "src/moved.ts"), join(folder, "src/new-place.ts"));
  renameSync(join(folder, "src/movedTwice.ts"), join(folder, "src/once.ts"));
  commit(2);
  renameSync(join(folder, "src/once.ts"), join(folder, "src/twice.ts"));
  renameSync(join(folder, "src/movedAndEdited.ts"), join(folder, "src/other.ts"));
  write("src/other.ts", `${code("movedAndEdited")}// more\n`);
  rmSync(join(folder, "src/deleted.ts"));
  commit(3);
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("an anchor", () => {
  test("holds while its file is the same, also under another name", () => {
    for (const path of ["src/same.ts", "src/moved.ts", "src/movedTwice.ts", "docs/a file.md", "docs"])
      expect([path, stateOf(path)]).toEqual([path, "holds"]);
  });

  test("has changed since, or is gone, by the id that was kept or that the history has", () => {
    for (const path of ["src/edited.ts", "src/movedAndEdited.ts", "src"])
      expect([path, stateOf(path)]).toEqual([path, "changed since"]);
    expect(stateOf("src/deleted.ts")).toBe("gone");
    expect(stateOf("src/never.ts")).toBe("gone");
    expect(stateOf("src/same.ts", { blob: "0".repeat(40) })).toBe("changed since");
    expect(stateOf("src/edited.ts", { since: "2026-03-02T18:00:00Z" })).toBe("holds");
  });

  test("of a symbol holds as long as the file has it", () => {
    expect(stateOf("src/edited.ts", { symbol: "edited" })).toBe("holds");
    expect(stateOf("src/movedTwice.ts", { symbol: "movedTwice" })).toBe("holds");
    expect(stateOf("src/edited.ts", { symbol: "edit" })).toBe("gone");
    expect(stateOf("src/deleted.ts", { symbol: "deleted" })).toBe("gone");
  });

  test("that leads out of the repository is gone, and the others keep their states", () => {
    const anchors = ["../../etc/passwd", "/etc/passwd", "src/../..", "src/same.ts"].map((path) =>
      anchor(path),
    );
    expect(statesOf(anchors)).toEqual(["gone", "gone", "gone", "holds"]);
  });

  test("has no state outside of a repository, and none before the first commit", () => {
    const empty = mkdtempSync(join(tmpdir(), "svc-anchors-"));
    expect(statesOf([anchor("a.ts")], empty)).toBeNull();
    Bun.spawnSync(["git", "init", "-q", empty]);
    expect(statesOf([anchor("a.ts")], empty)).toBeNull();
    expect(withAnchorStates("- 2026-03-01, decision 1: x", [anchor("a.ts")], empty)).not.toContain("[");
    rmSync(empty, { recursive: true });
  });
});

test("the lines of a brief say what holds, changed, or is gone", () => {
  const text = ["- 2026-03-01, decision 1: a", "- 2026-03-01, decision 12: b", "- 2026-03-01, decision 3: c"];
  const anchors = [
    anchor("src/same.ts"),
    anchor("src/edited.ts", { decision: 12 }),
    anchor("src/deleted.ts", { decision: 12, symbol: "deleted" }),
    anchor("src/same.ts", { decision: 12 }),
  ];
  expect(withAnchorStates(text.join("\n"), anchors, folder, patience).split("\n")).toEqual([
    "- 2026-03-01, decision 1 [holds]: a",
    "- 2026-03-01, decision 12 [src/edited.ts changed since, src/deleted.ts#deleted gone]: b",
    "- 2026-03-01, decision 3: c",
  ]);
});

test("the text of a decision names paths, folders, and symbols of the checkout", () => {
  const named = (text: string) =>
    anchorsIn(folder, text).map(({ path, symbol }) => (symbol ? `${path}#${symbol}` : path));
  expect(named("Prices in src/same.ts are cents, see `docs/a file.md`.")).toEqual([
    "docs/a file.md",
    "src/same.ts",
  ]);
  expect(named("Round once, in `edited()`, never in `movedTwice`.")).toEqual([
    "src/edited.ts#edited",
    "src/twice.ts#movedTwice",
  ]);
  expect(named("Use `any` in src/none.ts, /etc/passwd, ../same.ts and `--output=x`.")).toEqual([]);
  expect(must(anchorsIn(folder, "See src/same.ts.")[0]).blob).toMatch(/^[0-9a-f]{40}$/);
  expect(givenAnchors(folder, ["src/same.ts", "src/none.ts"])).toBe("src/none.ts");
  expect(givenAnchors(folder, ["src/same.ts#same"])).toMatchObject([{ path: "src/same.ts", symbol: "same" }]);
});

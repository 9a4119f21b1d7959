/**
 * The house stays as it is drawn: rooms that import downwards, packages in their rooms, small files, quiet
 * rooms.
 */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { migrations } from "../db/engine/migrate.ts";
import { repositoryRoot as root } from "./support/repository.ts";
import { isOurs, sources } from "./support/sources.ts";

/** One expression a line, so that two changes do not meet in one. */
const anyOf = (...expressions: RegExp[]): RegExp =>
  new RegExp(expressions.map(({ source }) => source).join("|"));

/** The rooms of `src`, from below: a room imports itself and those before it. */
const rooms = ["core", "files", "feed", "memory", "library", "overview", "integrations", "api", "web"];
/** The room of a file of `src`, or of the rows of a room in `db`. */
const roomOf = (path: string): string | undefined => /^(?:src|db)\/([\w-]+)\//.exec(path)?.[1];
const inside = (path: string): string | undefined => /^src\/([\w-]+)\//.exec(path)?.[1];
const floorOf = (path: string): number => rooms.indexOf(roomOf(path) ?? "");

/** The tools of `db` that all of its rooms use. */
const databaseTools = ["engine", "dialect", "query", "schema", "migrations", "maintenance", "demo"];

/** What `db` may know of `src`: shapes, ports, and pieces without rules. */
const shapes = anyOf(
  /^package\.json$/,
  /\/(schema|[\w-]+-schemas?|port|rows|requests|filters)\.ts$/,
  /^src\/core\/(lib|text|agents|auth|runs)\//,
  /^src\/feed\/tasks\/pull-request-issue\.ts$/,
  /^src\/core\/\w[\w-]*\.ts$/,
  /^src\/(feed|library)\/[\w-]+\/(notice|rank|sums|periods|spending|review-summary)\.ts$/,
  /^src\/feed\/(reserved-keys|render-event)\.ts$/,
  /^src\/memory\/set-ref\.ts$/,
  /^src\/feed\/runs\/(fold|pipelines|position|rule|payload)\.ts$/,
  /^src\/library\/assets\/(ids|rendered-asset)\.ts$/,
  /^src\/overview\/tasks\/stage\.ts$/,
  /^src\/integrations\/telemetry\/records\.ts$/,
);

/** Embedded texts: neither code nor packages. */
const isText = (path: string): boolean =>
  /\.(sql|md|css|json|svg|html)$/.test(path) && path !== "package.json";

const imports = sources.flatMap(({ path, imports }) => imports.map((to) => ({ from: path, to })));
const between = imports.filter(({ to }) => isOurs(to) && !isText(to));
const broken = (rule: (one: { from: string; to: string }) => boolean): string[] =>
  between.filter(rule).map(({ from, to }) => `${from} imports ${to}`);

/** Cycles of a graph: at least one of each strongly connected part. */
function cyclesIn(graph: Map<string, string[]>): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (node: string, above: string[]): void => {
    if (above.includes(node)) found.push([...above.slice(above.indexOf(node)), node].join(" → "));
    if (above.includes(node) || done.has(node)) return;
    for (const next of graph.get(node) ?? []) visit(next, [...above, node]);
    done.add(node);
  };
  for (const node of graph.keys()) visit(node, []);
  return found;
}

describe("rooms", () => {
  test("hold every file of the service, and nothing else stands in src", () => {
    const inSource = sources.map(({ path }) => path).filter((path) => path.startsWith("src/"));
    expect(inSource.filter((path) => floorOf(path) < 0)).toEqual([]);
    expect(new Set(inSource.map(roomOf))).toEqual(new Set(rooms));
  });

  test("import only themselves and the rooms below, types included", () => {
    expect(
      broken(
        ({ from, to }) => from.startsWith("src/") && to.startsWith("src/") && floorOf(to) > floorOf(from),
      ),
    ).toEqual([]);
  });

  test("are entered through their doors: the files that `index.ts` names, and no others", () => {
    /** Every room uses `core`: each of its files is a door. */
    const inner = rooms.filter((room) => room !== "core");
    const doorsOf = new Map(
      inner.map((room) => [room, sources.find(({ path }) => path === `src/${room}/index.ts`)?.dependencies]),
    );
    const crossings = between.filter(
      ({ from, to }) => inner.includes(inside(to) ?? "") && inside(from) !== inside(to),
    );
    const isDoor = (to: string) => doorsOf.get(inside(to) ?? "")?.includes(to) ?? false;
    expect(crossings.filter(({ to }) => !isDoor(to))).toEqual([]);
    const used = new Set(crossings.map(({ to }) => to));
    expect([...doorsOf.values()].flatMap((doors) => doors ?? []).filter((door) => !used.has(door))).toEqual(
      [],
    );
  });

  test("have their rows in a folder of the same name, which knows no room above", () => {
    /** An append indexes the words of its events. */
    const indexing = /^db\/feed\/derived-rows\.ts imports db\/memory\/recall\//;
    const folders = new Set(sources.flatMap(({ path }) => /^db\/([\w-]+)\//.exec(path)?.[1] ?? []));
    expect([...folders].filter((name) => ![...rooms, ...databaseTools].includes(name))).toEqual([]);
    const upwards = broken(
      ({ from, to }) => from.startsWith("db/") && floorOf(from) >= 0 && floorOf(to) > floorOf(from),
    );
    expect(upwards.filter((one) => !indexing.test(one))).toEqual([]);
  });

  test("give the database shapes and ports: it imports no rule, and no rule imports it", () => {
    expect(
      broken(({ from, to }) => from.startsWith("db/") && to.startsWith("src/") && !shapes.test(to)),
    ).toEqual([]);
  });

  test("leave the program alone at the outside, and rows to it; not even types go the other way", () => {
    const outward = between.filter(
      ({ from, to }) =>
        (to.startsWith("cli/") && !/^(cli|build)\//.test(from)) ||
        (to.startsWith("db/") && from.startsWith("src/")),
    );
    expect(outward).toEqual([]);
  });

  test("keep pages and commands off the data port: they call operations, and rules of the rooms below", () => {
    const readsData = anyOf(
      /\bctx\??\.data\b/,
      /\bctx: \{[^}]*\bdata\b/,
      /\{[^{}]*\bdata\b[^{}]*\} = (view\.)?ctx\b/,
      /\{[^{}]*\bdata\b[^{}]*\}: (Open)?Context\b/,
      /\bContext(, |\[)[^>\]]*"data"/,
      /\bdata\.atomically\b/,
    );
    const importsPort = (to: string) => /^src\/\w+\/port\.ts$/.test(to);
    const exceptions = [
      // the composition root, which opens it
      ...["cli/open.ts", "cli/stores.ts", "cli/commands/service/demo.ts"],
      // asks whether this process leads a job
      "cli/server/workers.ts",
      // follows the log of a database on this machine
      "cli/commands/feed/feed-source.ts",
    ];
    const outside = sources.filter(
      ({ path }) => /^(src\/web|cli)\//.test(path) && !exceptions.includes(path),
    );
    const found = outside.filter(({ text, imports }) => readsData.test(text) || imports.some(importsPort));
    expect(found.map(({ path }) => path)).toEqual([]);
  });

  test("have no cycles between files, types included", () => {
    expect(cyclesIn(new Map(sources.map(({ path, dependencies }) => [path, dependencies])))).toEqual([]);
  });
});

describe("files", () => {
  const linesMax = 300;
  test(`have at most ${linesMax} lines`, () => {
    const long = sources.map(({ path, text }) => ({ path, lines: text.split("\n").length - 1 }));
    expect(long.filter(({ lines }) => lines > linesMax)).toEqual([]);
  });

  const columnsMax = 110;
  test(`have lines of at most ${columnsMax} columns, where a line can be split`, () => {
    /** Word lists, paths of icons, and texts of licenses. */
    const data = /^(src\/core\/text\/|src\/web\/icons\/icons\.tsx$|cli\/build\/licenses\.ts$|cli\/client\/)/;
    /** Statements and sentences that read better in one line. */
    const wide = new Set([
      "db/maintenance/consistency-checks.ts",
      "db/memory/recall/decision-documents.ts",
      "db/memory/recall/match.ts",
      "db/memory/recall/vocabulary.ts",
      "src/api/mcp/tools/tool-errors.ts",
      "cli/commands/service/doctor.ts",
      "cli/commands/service/token.ts",
      "cli/commands/feed/project.ts",
      "cli/reference.ts",
    ]);
    const isRegExp = (line: string) => /^\s*\/.+\/[a-z]*[,;]?$/.test(line);
    const found = sources
      .filter(({ path }) => !data.test(path) && !wide.has(path))
      .flatMap(({ path, text }) =>
        text
          .split("\n")
          .flatMap((line, index) =>
            [...line].length > columnsMax && !isRegExp(line) ? [`${path}:${index + 1}`] : [],
          ),
      );
    expect(found).toEqual([]);
  });

  test("are named for what they hold, in kebab-case", () => {
    const names = sources.map(({ path }) => path.split("/").at(-1) as string);
    expect(names.filter((name) => !/^[a-z0-9]+(-[a-z0-9]+)*\.tsx?$/.test(name))).toEqual([]);
    expect(
      names.filter((name) => /^(utils?|helpers?|services?|managers?|types|common|misc)\./.test(name)),
    ).toEqual([]);
  });

  test("export by name; a command of the program and a text are the exceptions", () => {
    expect(
      sources
        .filter(({ path, text }) => !path.startsWith("cli/") && /^export default/m.test(text))
        .map((one) => one.path),
    ).toEqual([]);
  });

  test("write each property for itself: nothing is packed to be spread", () => {
    expect(sources.filter(({ text }) => text.includes("...{")).map(({ path }) => path)).toEqual([]);
  });

  test("leave nothing for later", () => {
    expect(
      sources.filter(({ text }) => /\b(TODO|FIXME|XXX|HACK)\b/.test(text)).map((one) => one.path),
    ).toEqual([]);
  });

  test("of migrations are listed in the order of their names", () => {
    const names = migrations.map(({ name }) => name);
    expect(names).toEqual(names.toSorted());
  });
});

test("the map on the Architecture page names every folder of the service, and none that is not there", async () => {
  const page = await Bun.file(join(root, "ARCHITECTURE.md")).text();
  const service = page.slice(page.indexOf("\nsrc/  "), page.indexOf("\ntest/  "));
  const named = service
    .split("\n")
    .slice(2)
    .flatMap((line) => /^ {2}((?:[\w-]+\/ )+)/.exec(line)?.[1]?.match(/[\w-]+/g) ?? []);
  const folders = new Set(sources.flatMap(({ path }) => /^src\/([\w-]+)\//.exec(path)?.[1] ?? []));
  expect(named.toSorted()).toEqual([...folders].toSorted());
});

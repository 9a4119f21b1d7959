/**
 * The house stays as it is drawn: rings that import inwards, packages in their rooms, small files, quiet
 * rooms.
 */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import clientManifest from "../cli/client/package.json";
import { migrations } from "../db/engine/migrate.ts";
import manifest from "../package.json";
import { repositoryRoot as root } from "./support/repository.ts";
import { sources } from "./support/sources.ts";

/** One expression a line, so that two changes do not meet in one. */
const anyOf = (...expressions: RegExp[]): RegExp =>
  new RegExp(expressions.map(({ source }) => source).join("|"));

/** From the middle outwards: a file imports its own ring and those before it. */
const rings: [string, RegExp][] = [
  [
    "pieces",
    anyOf(
      /^package\.json$/,
      /^src\/(wire|problem|version|metrics|deprecation)\.ts$/,
      /^src\/(lib|text)\//,
      /^src\/([\w-]+|memory\/\w+)\/schema\.ts$/,
      /^src\/feed\/(filters|reserved-keys|render-event)\.ts$/,
      /^src\/telemetry\/(price-file|records)\.ts$/,
      /^src\/(probe\/kind|probe\/model\/schema|assets\/ids)\.ts$/,
      /^src\/(runs\/cached-brief-prefix|projects\/branch-pattern-length)\.ts$/,
      /^src\/verdicts\/review-summary\.ts$/,
      /^src\/(usage\/sums|usage\/periods|budgets\/spending)\.ts$/,
      /^src\/agents\//,
    ),
  ],
  ["callers", /^src\/auth\/(scopes|roles|token|caller)\.ts$/],
  ["rows", /^src\/(rows|maintenance)\.ts$|^src\/assets\/rendered-asset\.ts$/],
  ["configuration", /^src\/config(-parsers)?\.ts$/],
  [
    "ports",
    anyOf(
      /^src\/(data\.ts$|stores\/store\.ts$|[\w-]+\/port\.ts$)/,
      /^src\/runs\/(fold|pipelines|position|rule|payload)\.ts$/,
      /^src\/(budgets|review-requests)\/notice\.ts$/,
      /^src\/(variant-sets\/set-ref|tasks\/pull-request-issue)\.ts$/,
    ),
  ],
  ["context", /^src\/context\.ts$/],
  [
    "rules and adapters",
    anyOf(
      /^src\/(audit|auth|backup|doctor|feed|projects|runs|memory|ingest|assets|models|outbox|probe)\//,
      /^src\/(search|stores|today|usage|tasks|telemetry|forges|previews|incoming-webhooks)\//,
      /^src\/(annotations|webhooks|budgets|review-requests|verdicts|checklists|shares|inbox)\//,
      /^src\/(email|provenance|review-queue|variant-sets|repeats)\//,
      /^src\/info\.ts$/,
      /^db\//,
    ),
  ],
  ["operations", /^src\/operations\//],
  ["documentation", /^src\/docs\//],
  ["surfaces", /^src\/(http|mcp|web|well-known)\//],
  ["shell", /^src\/(app|site|share-site)\.ts$/],
  ["program", /^cli\//],
];
const ringOf = (path: string): number => rings.findIndex(([, belongs]) => belongs.test(path));

/** Embedded texts: neither code nor packages. */
const isText = (path: string): boolean =>
  /\.(sql|md|css|json|svg|html)$/.test(path) && path !== "package.json";
const isOurs = (path: string): boolean => /^((src|db|cli)\/|(package\.json|CHANGELOG\.md)$)/.test(path);

const imports = sources.flatMap(({ path, imports }) => imports.map((to) => ({ from: path, to })));
const between = imports.filter(({ to }) => isOurs(to) && !isText(to));
const broken = (rule: (one: { from: string; to: string }) => boolean): string[] =>
  between.filter(rule).map(({ from, to }) => `${from} imports ${to}`);

/** `src/api/http/` of `src/api/http/api-middleware.ts`. */
const roomOf = (path: string): string => path.split("/").slice(0, 2).join("/");

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

describe("the rings", () => {
  test("hold every file: what is new gets a place in the list above", () => {
    expect(sources.map((one) => one.path).filter((path) => ringOf(path) < 0)).toEqual([]);
  });

  test("import inwards only", () => {
    expect(broken(({ from, to }) => ringOf(to) > ringOf(from))).toEqual([]);
  });

  test("know surfaces apart from each other", () => {
    const surface = ringOf("src/api/http/api-middleware.ts");
    expect(
      broken(
        ({ from, to }) => ringOf(from) === surface && ringOf(to) === surface && roomOf(from) !== roomOf(to),
      ),
    ).toEqual([]);
  });

  test("separate ports from rules: an adapter imports no rule, and no rule imports an adapter", () => {
    const isAdapter = (path: string) => /^(db|src\/stores)\//.test(path);
    const isInner = (path: string) => ringOf(path) < ringOf("db/open.ts");
    const adapterOf = (path: string) => (path.startsWith("db/") ? "db" : roomOf(path));
    expect(
      broken(({ from, to }) => isAdapter(from) && !isInner(to) && adapterOf(from) !== adapterOf(to)),
    ).toEqual([]);
    expect(broken(({ from, to }) => from.startsWith("src/") && to.startsWith("db/"))).toEqual([]);
  });

  test("leave the program alone at the outside, and rows to it; not even types go the other way", () => {
    const outward = between.filter(
      ({ from, to }) =>
        (to.startsWith("cli/") && !from.startsWith("cli/")) ||
        (to.startsWith("db/") && from.startsWith("src/")),
    );
    expect(outward).toEqual([]);
  });

  test("have no cycles between files, types included", () => {
    expect(cyclesIn(new Map(sources.map(({ path, dependencies }) => [path, dependencies])))).toEqual([]);
  });
});

describe("packages", () => {
  /** Package → where it may be imported. */
  const homes: Record<string, RegExp> = {
    "@aws-sdk/client-s3": /^src\/stores\/s3\//,
    "@elysiajs/swagger": /^src\/http\//,
    "@orama/stemmers": /^src\/text\//,
    "@modelcontextprotocol/server": /^src\/mcp\//,
    "@sinclair/typebox": /^src\//,
    "@zip.js/zip.js": /^src\/probe\//,
    "@smithy/core": /^src\/stores\/s3\//,
    "@smithy/signature-v4": /^src\/stores\/s3\//,
    "bun:sqlite": /^db\//,
    "@decimalturn/toml-patch": /^cli\/agents\/connect\//,
    citty: /^cli\//,
    consola: /^cli\//,
    diff: /^(src\/web|cli\/agents\/connect)\//,
    "drizzle-orm": /^db\//,
    elysia: /^src\/((app|site|share-site)\.ts$|http\/)/,
    "eventsource-parser": /^cli\//,
    "file-type": /^src\/probe\//,
    "ipaddr.js": /^src\/lib\//,
    "jsonc-parser": /^cli\/agents\/connect\//,
    mediabunny: /^src\/probe\//,
    mime: /^src\/lib\//,
    nodemailer: /^src\/email\//,
    "modern-tar": /^src\/backup\//,
    "openapi-fetch": /^cli\//,
    "openapi-typescript": /^cli\//,
    "@google/model-viewer": /^src\/web\/models\//,
    "pdfjs-dist": /^src\/web\//,
    pixelmatch: /^src\/web\//,
    "swagger-ui-dist": /^src\/http\//,
    preact: /^src\/web\//,
    "preact-render-to-string": /^src\/web\//,
    "@pydantic/genai-prices": /^src\/telemetry\//,
    re2js: /^src\/projects\//,
    ulid: /^(src|db\/demo)\//,
  };
  // The transpiler does not read tsconfig.json, so it names React where JSX is; ours is Preact.
  const packageOf = (path: string): string =>
    /^(@[^/]+\/[^/]+|[^/]+)/.exec(path)?.[0].replace(/^react$/, "preact") ?? path;

  test("stay in their rooms, and each has one", () => {
    const foreign = imports.filter(({ to }) => !isOurs(to) && !to.startsWith("node:") && to !== "bun");
    expect(
      foreign
        .filter(({ from, to }) => !homes[packageOf(to)]?.test(from))
        .map(({ from, to }) => `${from} imports ${to}`),
    ).toEqual([]);
  });

  test("are listed on the Architecture page, each with the reason for it", async () => {
    const page = await Bun.file(join(root, "src/api/docs/pages/reference/architecture.md")).text();
    const rows = [...page.slice(page.indexOf("## Dependencies")).matchAll(/^\| (`.+`) \| (.{10,}) \|$/gm)];
    const listed = rows.flatMap(([, names = ""]) =>
      [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => name),
    );
    const packages = [manifest, clientManifest].flatMap((one) =>
      Object.keys({ ...one.dependencies, ...one.devDependencies }),
    );
    expect(listed.toSorted()).toEqual([...new Set(packages)].toSorted());
  });

  test("are pinned to one version each", () => {
    const versions = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies });
    expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
  });

  test("of Bun that talk to databases and buckets stay there as well", () => {
    const where = (words: RegExp) =>
      sources.filter(({ text }) => words.test(text)).map(({ path }) => path.split("/")[0]);
    expect(new Set(where(/\bnew SQL\(|\bBun\.sql\b/))).toEqual(new Set(["db"]));
    expect(
      sources
        .filter(
          ({ path, text }) => /\bS3Client\(|\bBun\.s3\b/.test(text) && !path.startsWith("src/files/stores/"),
        )
        .map((one) => one.path),
    ).toEqual([]);
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
    const data = /^(src\/text\/|src\/web\/icons\/icons\.tsx$|cli\/bundle-licenses\.ts$|cli\/client\/)/;
    /** Wide lines from before this test: a file leaves the list when its lines are split. */
    const wide = new Set([
      ...["consistency-checks"].map((name) => `db/maintenance/${name}.ts`),
      ...["decision-documents", "match", "vocabulary"].map((name) => `db/memory/recall/${name}.ts`),
      ...["mcp/tools/tool-errors.ts", "stores/s3/sigv4.ts", "web/sign-in/sign-in-page.tsx"].map(
        (path) => `src/${path}`,
      ),
      ...["service/doctor", "service/token", "service/serve", "feed/project", "feed/event"].map(
        (name) => `cli/commands/${name}.ts`,
      ),
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

  test("leave nothing for later", () => {
    expect(
      sources.filter(({ text }) => /\b(TODO|FIXME|XXX|HACK)\b/.test(text)).map((one) => one.path),
    ).toEqual([]);
  });

  test("of migrations come in pairs", () => {
    expect(migrations.postgres.map((one) => one.name)).toEqual(migrations.sqlite.map((one) => one.name));
    for (const names of Object.values(migrations).map((list) => list.map((one) => one.name)))
      expect(names).toEqual(names.toSorted());
  });
});

test("the map on the Architecture page names every folder of the service, and none that is not there", async () => {
  const page = await Bun.file(join(root, "src/api/docs/pages/reference/architecture.md")).text();
  const service = page.slice(page.indexOf("\nsrc/  "), page.indexOf("\ntest/  "));
  const named = service
    .split("\n")
    .slice(2)
    .flatMap((line) => /^ {2}((?:[\w-]+\/ )+)/.exec(line)?.[1]?.match(/[\w-]+/g) ?? []);
  const folders = new Set(sources.flatMap(({ path }) => /^src\/([\w-]+)\//.exec(path)?.[1] ?? []));
  expect(named.toSorted()).toEqual([...folders].toSorted());
});

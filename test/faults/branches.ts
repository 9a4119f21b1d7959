/** The branches that R26 is about, a counter for each, and which of them were never taken. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { createCoverageMap, type FileCoverage } from "istanbul-lib-coverage";
import { createInstrumenter } from "istanbul-lib-instrument";

const root = dirname(dirname(import.meta.dir));

/**
 * Who may, what comes in, bytes, the feed, signed addresses, and the rows of those. The thread of the stores
 * is embedded as a text.
 */
export const modules = new RegExp(
  `/(${[
    "src/(core/auth|feed/ingest|feed)/[^/]+",
    "src/files/stores/(?!disk/worker\\.)[^.]+",
    "src/library/assets/signed-urls",
    "db/(feed/(counters|events|pages)|engine/change-notifier|core/(settings|auth/tokens))",
  ].join("|")})\\.ts$`,
);

/** Where a process of tests keeps its counters, and where it leaves them. */
export const counters = "__branches__";
export const countersFolder = "SVC_TEST_BRANCHES";

const instrumenter = createInstrumenter({
  ...{
    esModules: true,
    coverageVariable: counters,
    coverageGlobalScope: "globalThis",
    coverageGlobalScopeFunc: false,
  },
  parserPlugins: ["typescript", "explicitResourceManagement"],
});

/** The source of a module, which counts. */
export const counting = (path: string): string =>
  instrumenter.instrumentSync(readFileSync(path, "utf8"), path);

export interface Branches {
  total: number;
  taken: number;
  /** `path:line:column` of each that was never taken, with its line. */
  others: string[];
}

/** What all processes together say of each module; of one that none has loaded, that nothing was taken. */
export function branchesTaken(folder: string): Branches {
  const map = createCoverageMap({});
  for (const path of new Bun.Glob("{src,db}/**/*.ts").scanSync({ cwd: root, absolute: true })) {
    if (!modules.test(path)) continue;
    counting(path);
    map.addFileCoverage(instrumenter.lastFileCoverage());
  }
  for (const name of readdirSync(folder)) map.merge(JSON.parse(readFileSync(join(folder, name), "utf8")));
  const files = map.files().map((path) => map.fileCoverageFor(path));
  const sum = (name: "total" | "covered") =>
    files.reduce((so, file) => so + file.toSummary().branches[name], 0);
  return { total: sum("total"), taken: sum("covered"), others: files.flatMap(othersOf).sort() };
}

function othersOf({ path, b: counts, branchMap }: FileCoverage): string[] {
  const lines = readFileSync(path, "utf8").split("\n");
  return Object.entries(counts).flatMap(([id, times]) =>
    times.flatMap((count, way) => {
      const branch = branchMap[id];
      if (count > 0 || !branch) return [];
      // An `else` that is not written is nowhere.
      const { line = branch.loc.start.line, column = branch.loc.start.column } =
        branch.locations[way]?.start ?? {};
      return [`${relative(root, path)}:${line}:${column + 1}  ${branch.type}  ${lines[line - 1]?.trim()}`];
    }),
  );
}

/**
 * `bun run bench --against <commit> [name …]`: the executables of two commits, each measured by this bench with the
 * data that its own commit makes, by turns, A B B A. Three pairs, and up to thirteen while something seems slower.
 */
import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Name } from "../measurements.ts";
import { type Options, type Place, printRows, type Result } from "../measuring/measure.ts";
import { type Change, changeOf, type Pair } from "./change.ts";
import type { MeasureAnswer, MeasureRequest } from "./side.ts";

const root = join(import.meta.dir, "../../..");
const pairs = { least: 3, most: 13 };

type Side = (request: MeasureRequest) => Promise<Result[]>;

/** The two results of each pair, the other commit first, by the name of the row. */
type Rows = Map<string, [other: Result, own: Result][]>;

/** @returns whether all was compared, and nothing got slower */
export async function compareWith(
  place: Place,
  commit: string,
  names: readonly Name[],
  options: Options,
): Promise<boolean> {
  const tree = place.path("other");
  await checkOut(commit, tree);
  // In the place, so that it removes what a side leaves.
  const start = (root: string): Side => {
    const file = join(root, "test/bench/against/side.ts");
    const ask = place.run<MeasureRequest, MeasureAnswer>([process.execPath, file], {
      TMPDIR: place.path("."),
    });
    return async (request) => {
      const answer = await ask(request);
      if ("error" in answer) throw new Error(answer.error);
      return answer.results;
    };
  };
  const [other, own] = [start(tree), start(root)];
  const slower: string[] = [];
  const failed: string[] = [];
  for (const name of names) {
    process.stderr.write(`comparing ${name} …\n`);
    const rows = await measurePairs(other, own, { name, options }).catch((error: Error) => {
      failed.push(`\n  ${name}: ${error.message}`);
      return new Map() as Rows;
    });
    printRows(
      ["Measurement", commit, "This tree", "Change", "Between", "Slower"],
      [...rows].map(([measure, found]) => {
        const change = changeIn(found);
        if (change.isSlower) slower.push(measure);
        return [measure, ...middle(found, change), ...cellsOf(change)];
      }),
    );
  }
  const some = slower.map((measure) => `\n  ${measure}`).join("");
  process.stdout.write(some ? `slower by more than 5 %:${some}\n` : "nothing is slower by more than 5 %\n");
  if (failed.length > 0) process.stdout.write(`not compared:${failed.join("")}\n`);
  return slower.length === 0 && failed.length === 0;
}

/** The tree of a commit with the bench of this one, so that both are measured alike. */
async function checkOut(commit: string, tree: string): Promise<void> {
  const run = async (...command: string[]) => {
    const { exitCode } = Bun.spawnSync(command, { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
    if (exitCode !== 0) throw new Error(`${command.join(" ")} failed`);
  };
  await Bun.write(join(tree, ".keep"), "");
  await run("sh", "-c", 'git archive "$0" | tar -x -C "$1"', commit, tree);
  await rm(join(tree, "test/bench"), { recursive: true, force: true });
  await cp(join(root, "test/bench"), join(tree, "test/bench"), { recursive: true });
  await run(process.execPath, "install", "--frozen-lockfile", "--silent", "--cwd", tree);
}

async function measurePairs(other: Side, own: Side, request: MeasureRequest): Promise<Rows> {
  const rows: Rows = new Map();
  const seemsSlower = () => [...rows.values()].some((found) => changeIn(found).seemsSlower);
  for (let count = 0; count < pairs.least || (count < pairs.most && seemsSlower()); count++) {
    const isSwapped = count % 2 === 1;
    const first = await (isSwapped ? own : other)(request);
    const second = await (isSwapped ? other : own)(request);
    const [others, owns] = isSwapped ? [second, first] : [first, second];
    for (const result of owns) {
      const match = others.find(({ measure }) => measure === result.measure);
      if (match) rows.set(result.measure, [...(rows.get(result.measure) ?? []), [match, result]]);
    }
  }
  return rows;
}

const changeIn = (found: [Result, Result][]): Change =>
  changeOf(found.map(([other, own]): Pair => [other.amount, own.amount]));

/** What the pair said that is in the middle. */
function middle(found: [Result, Result][], { ratio }: Change): [string, string] {
  const [other, own] = found.find((pair) => changeIn([pair]).ratio === ratio) as [Result, Result];
  return [other.svc, own.svc];
}

function cellsOf({ ratio, low, high, isSlower }: Change): string[] {
  const percent = (value: number) => `${value < 1 ? "" : "+"}${((value - 1) * 100).toFixed(1)} %`;
  return [percent(ratio), `${percent(low)} and ${percent(high)}`, isSlower ? "YES" : ""];
}

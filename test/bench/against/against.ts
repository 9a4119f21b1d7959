/**
 * `bun run bench --against <commit> [name …]`: the executables of two commits, each measured by this bench with the
 * data that its own commit makes. They take turns run by run, A B B A. A measurement is repeated while a row of it
 * seems slower and is not certain, up to thirteen times.
 */
import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Name } from "../measurements.ts";
import { type Options, type Place, printRows, type Result, ratioOf } from "../measuring/measure.ts";
import { type Change, changeOf, type Pair } from "./change.ts";
import { measureByTurns, type Side, type SideAnswer, type SideMessage } from "./turns.ts";

const root = join(import.meta.dir, "../../..");

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
    return place.run<SideMessage, SideAnswer>([process.execPath, file], { TMPDIR: place.path(".") });
  };
  const sides = [start(tree), start(root)] as const;
  const slower: string[] = [];
  const failed: string[] = [];
  for (const name of names) {
    process.stderr.write(`comparing ${name} …\n`);
    const rows = await measurePairs(sides, { name, options }).catch((error: Error) => {
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

async function measurePairs(sides: readonly [Side, Side], message: SideMessage): Promise<Rows> {
  const rows: Rows = new Map();
  let first: 0 | 1 = 0;
  do {
    const [others, owns] = await measureByTurns(sides, message, first);
    first = first === 0 ? 1 : 0;
    for (const result of owns) {
      const match = others.find(({ measure }) => measure === result.measure);
      if (match) rows.set(result.measure, [...(rows.get(result.measure) ?? []), [match, result]]);
    }
  } while ([...rows.values()].some((found) => changeIn(found).isOpen));
  return rows;
}

const changeIn = (found: [Result, Result][]): Change =>
  changeOf(found.map(([other, own]) => pairOf(other, own)));

const pairOf = (other: Result, own: Result): Pair =>
  other.rounds && own.rounds ? [1, ratioOf(own.rounds, other.rounds)] : [other.amount, own.amount];

/** What the pair said that is in the middle. */
function middle(found: [Result, Result][], { ratio }: Change): [string, string] {
  const [other, own] = found.find((pair) => changeIn([pair]).ratio === ratio) as [Result, Result];
  return [other.svc, own.svc];
}

function cellsOf({ ratio, low, high, isSlower }: Change): string[] {
  const percent = (value: number) => `${value < 1 ? "" : "+"}${((value - 1) * 100).toFixed(1)} %`;
  return [percent(ratio), `${percent(low)} and ${percent(high)}`, isSlower ? "YES" : ""];
}

/**
 * `bun run bench --against <commit> [name …]`: the executables of two commits, each measured by this bench with the
 * data that its own commit makes. They take turns run by run, A B B A, and are compared round by round. A measurement is
 * repeated while it is not certain of a row of it whether that is slower, up to 21 times.
 */
import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Name } from "../measurements.ts";
import { type Options, type Place, printRows, type Result } from "../measuring/measure.ts";
import { type Change, changeOf, type Pair, repeatsMax } from "./change.ts";
import { measureByTurns, type Side, type SideAnswer, type SideMessage } from "./turns.ts";

const root = join(import.meta.dir, "../../..");

/** The two results of each repeat, the other commit first, by the name of the row. */
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
  const uncertain: string[] = [];
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
        if (change.isSlower) slower.push(`\n  ${measure}`);
        else if (change.isOpen) uncertain.push(`\n  ${measure}`);
        return [measure, ...nearest(found, change), ...cellsOf(change)];
      }),
    );
  }
  const tell = (what: string, rows: string[]) =>
    rows.length > 0 && process.stdout.write(`${what}:${rows.join("")}\n`);
  tell("slower by more than 5 %", slower) || process.stdout.write("nothing is slower by more than 5 %\n");
  tell("not certain, as the machine was too busy", uncertain);
  tell("not compared", failed);
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
  let repeat = 0;
  do {
    const [others, owns] = await measureByTurns(sides, message, (repeat % 2) as 0 | 1);
    for (const result of owns) {
      const match = others.find(({ measure }) => measure === result.measure);
      if (match) rows.set(result.measure, [...(rows.get(result.measure) ?? []), [match, result]]);
    }
  } while (++repeat < repeatsMax && [...rows.values()].some((found) => changeIn(found).isOpen));
  return rows;
}

const changeIn = (found: [Result, Result][]): Change => changeOf(found.flatMap(pairsOf));

const pairsOf = ([other, own]: [Result, Result]): Pair[] =>
  own.rounds?.map((value, round) => [other.rounds?.[round] as number, value]) ?? [[other.amount, own.amount]];

/** What the repeat said that is nearest to all of them. */
function nearest(found: [Result, Result][], { ratio }: Change): [string, string] {
  const distances = found.map((pair) => Math.abs(changeIn([pair]).ratio - ratio));
  const [other, own] = found[distances.indexOf(Math.min(...distances))] as [Result, Result];
  return [other.svc, own.svc];
}

function cellsOf({ ratio, low, high, isSlower, isOpen }: Change): string[] {
  const percent = (value: number) => `${value < 1 ? "" : "+"}${((value - 1) * 100).toFixed(1)} %`;
  const bounds = `${low > 0 ? percent(low) : "?"} and ${high < Number.POSITIVE_INFINITY ? percent(high) : "?"}`;
  return [percent(ratio), bounds, isSlower ? "YES" : isOpen ? "?" : ""];
}

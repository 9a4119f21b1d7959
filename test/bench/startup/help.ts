/** `svc --help` against a compiled program that does nothing. */
import { inRounds, median, type Place, type Result } from "../measuring/measure.ts";
import { compilePlain } from "../measuring/plain.ts";

const rounds = 41;

export async function measureHelp(place: Place, svc: string): Promise<Result[]> {
  const empty = await compilePlain(place, "empty");
  const found = await inRounds(rounds, { svc: runOf([svc, "--help"]), empty: runOf([empty]) });
  const [ours, theirs] = [median(found.svc), median(found.empty)];
  const most = 1.5 * theirs + 30;
  return [
    {
      ...{
        measure: "svc --help",
        svc: `${ours.toFixed(1)} ms`,
        ceiling: `${theirs.toFixed(1)} ms`,
        ratio: ours / theirs,
      },
      ...{ aim: `1.5 x + 30 ms: ${most.toFixed(1)} ms`, reached: ours <= most },
    },
  ];
}

const runOf = (command: string[]) => async () => {
  const start = performance.now();
  const { exitCode } = Bun.spawnSync(command, { env: {} });
  if (exitCode !== 0) throw new Error(`${command[0]} exited with ${exitCode}`);
  return performance.now() - start;
};

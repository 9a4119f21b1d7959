/**
 * Counts the syncs to the disk for each answer, with strace. In a short pass of its own: a traced server is
 * slow, so it is not timed.
 */
import { readFileSync } from "node:fs";
import type { Sample, Side } from "./load.ts";
import type { Place } from "./measure.ts";

/** With `--seccomp-bpf` only these calls stop: a server of which all calls stop answers very slowly. */
const tracer = ["strace", "-f", "-qq", "--seccomp-bpf", "-e", "trace=fsync,fdatasync,sync_file_range,msync"];

/**
 * Starts the servers once more, under strace, and runs each side twice, of which the second counts.
 * @param open makes the sides on a place, with new data
 * @returns syncs for each answer; empty, and says why, if strace cannot trace
 */
export async function countSyncs<N extends string>(
  place: Place,
  open: (place: Place) => Promise<Record<N, Side>>,
): Promise<Partial<Record<N, number>>> {
  if (Bun.spawnSync([tracer[0] as string, "-qq", "-o", "/dev/null", "true"]).exitCode !== 0) {
    process.stderr.write("syncs are not counted: strace is missing, or not allowed to trace\n");
    return {};
  }
  const traces: string[] = [];
  const traced: Place = {
    ...place,
    path: (name) => place.path(`traced-${name}`),
    serve(command, env) {
      const trace = place.path(`trace-${traces.length}`);
      traces.push(trace);
      return place.serve([...tracer, "-o", trace, ...command], env);
    },
  };
  const syncs = () => traces.reduce((sum, trace) => sum + linesIn(trace), 0);
  const found: Partial<Record<N, number>> = {};
  for (const [name, side] of Object.entries(await open(traced)) as [N, Side][]) {
    await side();
    const before = syncs();
    const { answers }: Sample = await side();
    found[name] = (syncs() - before) / answers;
  }
  return found;
}

/** The calls in a trace: the end of one that others interrupted is a line of its own. */
const linesIn = (trace: string): number =>
  readFileSync(trace, "latin1")
    .split("\n")
    .filter((line) => line.includes("sync") && !line.includes(" resumed>")).length;

/** Builds the executable of the tree that this file is in, and measures it for a comparison: a process of its own. */
import { join } from "node:path";
import { build } from "../../../cli/build/build.ts";
import { closePlaces, isName, measure, openListedPlace } from "../measurements.ts";
import type { Options, Result } from "../measuring/measure.ts";

export interface MeasureRequest {
  name: string;
  options: Options;
}

export type MeasureAnswer = { results: Result[] } | { error: string };

for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => closePlaces().then(() => process.exit(1)));

// Bun names the files of a build from the current folder.
process.chdir(join(import.meta.dir, "../../.."));
const svc = build({ outfile: openListedPlace().path("svc"), commit: "bench" });

process.on("message", async ({ name, options }: MeasureRequest) => {
  const answer: MeasureAnswer = await measureRow(name, options).then(
    (results) => ({ results }),
    (error: Error) => ({ error: error.message }),
  );
  process.send?.(answer);
});

async function measureRow(name: string, options: Options): Promise<Result[]> {
  return isName(name) ? measure(name, await svc, options) : [];
}

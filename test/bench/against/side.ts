/** Builds the executable of the tree that this file is in, and measures it for a comparison: a process of its own. */
import { build } from "../../../cli/build/build.ts";
import { closePlaces, isName, measure, openListedPlace } from "../measurements.ts";
import type { Options, Result } from "../measuring/measure.ts";

export interface MeasureRequest {
  name: string;
  options: Options;
}

for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => closePlaces().then(() => process.exit(1)));

const svc = build({ outfile: openListedPlace().path("svc"), commit: "bench" });

process.on("message", async ({ name, options }: MeasureRequest) => {
  const results: Result[] = isName(name) ? await measure(name, await svc, options) : [];
  process.send?.(results);
});

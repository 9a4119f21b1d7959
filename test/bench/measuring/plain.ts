/** Plain programs, compiled as svc is. */
import { join } from "node:path";
import type { Place } from "./measure.ts";

export async function compilePlain(place: Place, name: "empty" | "serve" | "mcp-stdio"): Promise<string> {
  const outfile = place.path(`plain-${name}`);
  const entrypoints = [join(import.meta.dir, `../plain/${name}.ts`)];
  await Bun.build({
    entrypoints,
    compile: { outfile, autoloadDotenv: false, autoloadBunfig: false },
    bytecode: true,
    format: "esm",
  });
  return outfile;
}

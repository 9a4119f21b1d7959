/** Builds the executable of the tree that this file is in, and measures it for a comparison: a process of its own. */
import { copyFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { build } from "../../../cli/build/build.ts";
import { isName, measure } from "../measurements.ts";
import {
  closePlaces,
  type Options,
  openPlace,
  type Result,
  takeTurns,
  waitForTurn,
} from "../measuring/measure.ts";
import type { SideAnswer, SideMessage } from "./turns.ts";

for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => closePlaces().then(() => process.exit(1)));

// Bun names the files of a build from the current folder.
process.chdir(join(import.meta.dir, "../../.."));
const place = openPlace();
const svc = build({ outfile: place.path("built"), commit: "bench" });

const answer = (answer: SideAnswer): void => void process.send?.(answer);
let goOn = () => {};
takeTurns(
  () =>
    new Promise((resolve) => {
      goOn = resolve;
      answer("waits");
    }),
);

process.on("message", async (message: SideMessage) => {
  if (message === "go on") goOn();
  else
    answer(
      await measureRow(message.name, message.options).then(
        (results) => ({ results }),
        (error: Error) => ({ error: error.message }),
      ),
    );
});

async function measureRow(name: string, options: Options): Promise<Result[]> {
  const built = await svc;
  await waitForTurn();
  // A copy each time: how the page cache holds a file makes a start up to 15 % faster or slower, as long as it exists.
  const executable = place.path("svc");
  await rm(executable, { force: true });
  await copyFile(built, executable);
  return isName(name) ? measure(name, executable, options) : [];
}

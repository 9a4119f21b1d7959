/** `svc pack`: compress events of long ago. */
import { defineCommand } from "citty";
import { packEvents } from "../src/feed/packing.ts";
import { fromMicros } from "../src/time.ts";
import { dataDirFlag, jsonFlag, run, userOf } from "./command.ts";
import { duration } from "./duration.ts";
import { actAs, actOfUser } from "./open.ts";
import { progress } from "./progress.ts";

export default defineCommand({
  args: {
    "older-than": { type: "string", description: "Only events of before then", default: "400d", valueHint: "time" },
    ...jsonFlag,
    ...dataDirFlag,
  },
  run: run(async ({ args }) => {
    const age = duration("older-than", args["older-than"]);
    const done = await actAs(actOfUser(userOf(undefined), "pack"), { SVC_DATA_DIR: args["data-dir"] }, async (ctx) => {
      const before = ctx.now() - age;
      const bar = progress("Packing", null);
      const packed = await packEvents(ctx, before, Number.MIN_SAFE_INTEGER, (count, until) => {
        bar.show(`${count} events, up to ${fromMicros(until).slice(0, 10)}`);
        return true;
      });
      bar.end();
      return { before: fromMicros(before), packed };
    });
    const said = done.packed > 0 ? `${done.packed} events of before ${done.before} are packed` : `nothing to pack before ${done.before}`;
    process.stdout.write(args.json ? `${JSON.stringify(done)}\n` : `${said}.\n`);
  }),
});

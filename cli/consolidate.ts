/** `svc consolidate`: fold what happened into memory. */
import { defineCommand } from "citty";
import { operator } from "../src/auth/caller.ts";
import { consolidate, listSlugs } from "../src/memory/consolidate.ts";
import { requireProject } from "../src/projects/projects.ts";
import { dataDirFlag, jsonFlag, run, userOf } from "./command.ts";
import { actAs, actOfUser } from "./open.ts";

export default defineCommand({
  args: {
    project: { type: "positional", required: false, description: "Project; without one, all of them" },
    ...jsonFlag,
    ...dataDirFlag,
  },
  run: run(async ({ args }) => {
    const act = actOfUser(userOf(undefined), "consolidate", args.project ?? null);
    const done = await actAs(act, { SVC_DATA_DIR: args["data-dir"] }, async (ctx) => {
      if (args.project) await requireProject(ctx.data, args.project, operator);
      return consolidate(ctx, args.project ? [args.project] : await listSlugs(ctx));
    });
    for (const one of done) {
      const said =
        one.events > 0 ? `${one.events} events folded into ${one.rollups} roll-ups` : "nothing new";
      process.stdout.write(args.json ? `${JSON.stringify(one)}\n` : `${one.project}: ${said}\n`);
    }
  }),
});

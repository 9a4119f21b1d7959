/** `svc prefer`: set a preference. */
import { defineCommand } from "citty";
import { adminCaller } from "../src/auth/caller.ts";
import { checkInput } from "../src/lib/validate.ts";
import { prefer } from "../src/memory/preferences.ts";
import { PreferInput } from "../src/memory/schema.ts";
import { byFlag, dataDirFlag, run, userOf } from "./command.ts";
import { actAs, actOfUser } from "./open.ts";

export default defineCommand({
  args: {
    key: { type: "positional", description: "What it is about, such as commit.style" },
    value: { type: "positional", description: "What is preferred" },
    project: { type: "string", description: "Project; without one it is for all" },
    ...byFlag,
    ...dataDirFlag,
  },
  run: run(async ({ args }) => {
    const { key, value, project = null } = args;
    const user = userOf(args.by);
    const said = new Map<string, unknown>(Object.entries({ key, value, project, source: "cli", by: user }));
    const act = actOfUser(user, "prefer", key ?? null);
    const { changed } = await actAs(act, { SVC_DATA_DIR: args["data-dir"] }, async (ctx) =>
      prefer(ctx, checkInput(PreferInput, said) as PreferInput, adminCaller),
    );
    process.stderr.write(
      `${key} of ${project ?? "all projects"} ${changed ? "is set" : "had this value already"}.\n`,
    );
  }),
});

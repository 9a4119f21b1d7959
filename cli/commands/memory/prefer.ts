/** `svc prefer`: sets a preference. */
import { defineCommand } from "citty";
import { adminCaller } from "../../../src/auth/caller.ts";
import { checkInput } from "../../../src/lib/validate.ts";
import { prefer } from "../../../src/memory/preferences.ts";
import { PreferInput } from "../../../src/memory/schema.ts";
import { actorFrom, byFlag, dataDirFlag, reportErrors } from "../../command.ts";
import { commandAct, withAuditedContext } from "../../open.ts";

export default defineCommand({
  args: {
    key: { type: "positional", description: "Key, such as commit.style" },
    value: { type: "positional", description: "Preferred value" },
    project: { type: "string", description: "Project slug (default: all projects)" },
    ...byFlag,
    ...dataDirFlag,
  },
  run: reportErrors(async ({ args }) => {
    const { key, value, project = null } = args;
    const user = actorFrom(args.by);
    const fields = new Map<string, unknown>(Object.entries({ key, value, project, source: "cli", by: user }));
    const act = commandAct(user, "prefer", key ?? null);
    const { changed } = await withAuditedContext(act, { SVC_DATA_DIR: args["data-dir"] }, async (ctx) =>
      prefer(ctx, checkInput(PreferInput, fields) as PreferInput, adminCaller),
    );
    process.stderr.write(
      changed
        ? `Set preference "${key}" for ${project ?? "all projects"}.\n`
        : `Preference "${key}" for ${project ?? "all projects"} already has this value.\n`,
    );
  }),
});

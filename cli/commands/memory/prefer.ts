/** `svc prefer`: sets a preference. */
import { defineCommand } from "citty";
import { PreferInput } from "../../../src/memory/schema.ts";
import { apiFlags, byField, withApi } from "../../api.ts";
import { unwrap } from "../../client/client.ts";
import { byFlag, checkFlags } from "../../command.ts";
import { reportChange } from "../../output/report.ts";

export default defineCommand({
  args: {
    key: { type: "positional", description: "Key, such as commit.style" },
    value: { type: "positional", description: "Preferred value" },
    project: { type: "string", description: "Project slug (default: all projects)" },
    ...byFlag,
    ...apiFlags,
  },
  async run({ args }) {
    const { key, value, project } = args;
    const body = checkFlags(PreferInput, { key, value, project, source: "cli", ...byField(args) });
    await withApi(args, async ({ api, place }) => {
      const preference = await unwrap(api.PUT("/preferences", { body }));
      const subject = `preference "${key}" for ${project ?? "all projects"}`;
      await reportChange(
        args,
        preference,
        preference.changed ? `Set ${subject} ${place}.` : `No change: ${subject} ${place} has this value.`,
      );
    });
  },
});

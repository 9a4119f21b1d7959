/** `svc asset remove-metadata`: the same image without what it says of how it was made. */
import { defineCommand } from "citty";
import { escapeControls } from "../../../src/core/lib/strings/display-text.ts";
import { remoteFlags, withApi } from "../../api.ts";
import { unwrap } from "../../client/client.ts";
import { reportErrors } from "../../command.ts";
import { outputFlags, reportChange } from "../../output/report.ts";

export default defineCommand({
  meta: { name: "remove-metadata", description: "Add a version without the metadata of the file" },
  args: {
    id: { type: "positional", required: true, description: "Asset ID" },
    ...outputFlags,
    ...remoteFlags,
  },
  run: reportErrors(async ({ args }) => {
    await withApi(args, async ({ api, place }) => {
      const path = { id: args.id };
      const asset = await unwrap(api.POST("/assets/{id}/remove-metadata", { params: { path } }));
      const name = `"${escapeControls(asset.title)}", version ${asset.version},`;
      await reportChange(args, asset, `Uploaded ${name} without metadata ${place}: ${asset.id}`);
    });
  }),
});

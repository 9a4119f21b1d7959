/** `svc release`: ends claims before their time. */
import { defineCommand } from "citty";
import { withApi } from "../../api.ts";
import { unwrap } from "../../client/client.ts";
import { UsageError } from "../../command-errors.ts";
import { reportChange } from "../../output/report.ts";
import { plural } from "../../output/table.ts";
import { currentProject } from "../../repository/current-project.ts";
import { claimArgs, claimBody, othersText } from "./claim.ts";

export default defineCommand({
  args: claimArgs,
  async run({ args }) {
    if (args._.length === 0) throw new UsageError("Say what to release, such as 12. See svc claim.");
    await withApi(args, async (access) => {
      const { api, place } = access;
      const slug = await currentProject(access, args);
      const body = claimBody(args, slug, { minutes: 0 });
      const result = await unwrap(api.POST("/projects/{slug}/claims", { params: { path: { slug } }, body }));
      await reportChange(
        args,
        result,
        `Released ${plural(result.released, "claim")} ${place}.${othersText(result)}`,
      );
    });
  },
});

/** `svc redact`: deletes a text wherever it stands, after a preview. */
import { defineCommand } from "citty";
import { escapeControls } from "../../../src/core/lib/strings/display-text.ts";
import { RemovalSubjectInput } from "../../../src/library/removals/schema.ts";
import { remoteFlags, withApi } from "../../api.ts";
import { unwrap } from "../../client/client.ts";
import { checkFlags, reportErrors } from "../../command.ts";
import { requireAgreement, yesFlag } from "../../output/agree.ts";
import { note, outputFlags, reportChange } from "../../output/report.ts";
import { formatCount } from "../../output/table.ts";

export default defineCommand({
  args: {
    kind: { type: "positional", required: true, description: "event, annotation or decision" },
    subject: { type: "positional", required: true, description: "Its ID" },
    reason: { type: "string", required: true, description: "Why; it stands in place of the text" },
    ...yesFlag,
    ...outputFlags,
    ...remoteFlags,
  },
  run: reportErrors(async ({ args }) => {
    const subject = checkFlags(RemovalSubjectInput, args);
    const what = `${subject.kind} ${subject.subject}`;
    await withApi(args, async ({ api, place }) => {
      const plan = await unwrap(api.GET("/removals/plan", { params: { query: subject } }));
      const lines = plan.places.map((one) => `${formatCount(one.rows)} in ${escapeControls(one.place)}`);
      await requireAgreement(args, lines, `Redact the text of ${what} ${place}?`);
      const removal = await unwrap(api.POST("/removals", { body: { ...subject, reason: args.reason } }));
      if (removal.finished_at === null)
        note(args, "Copies in the files of the database are not deleted yet. svc serve tries again.");
      await reportChange(args, removal, `Redacted ${what} ${place}.`);
    });
  }),
});

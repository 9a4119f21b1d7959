/** `svc decide`: records a decision. */
import { defineCommand } from "citty";
import { escapeControls } from "../../../src/core/lib/strings/display-text.ts";
import { DecideInput } from "../../../src/memory/schema.ts";
import { apiFlags, byField, withApi } from "../../api.ts";
import { unwrap } from "../../client/client.ts";
import { byFlag, checkFlags, runIdField } from "../../command.ts";
import { reportChange } from "../../output/report.ts";
import { anchorsFlag, anchorText, findAnchors } from "../../repository/given-anchors.ts";

export default defineCommand({
  args: {
    project: { type: "positional", description: "Project slug" },
    text: { type: "positional", description: "Text of the decision" },
    supersedes: { type: "string", description: "ID of the decision that this one replaces" },
    "source-ref": { type: "string", description: "Source: a URL, or owner/name#12" },
    ...anchorsFlag,
    "run-id": { type: "string", description: "The run that made it" },
    ...byFlag,
    ...apiFlags,
  },
  async run({ args }) {
    const { by: _, anchors: given, ...fields } = args;
    const anchors = findAnchors(args.text ?? "", given);
    const body = checkFlags(DecideInput, {
      ...fields,
      source: "cli",
      ...runIdField(args),
      ...byField(args),
      ...(anchors.length > 0 && { anchors }),
    });
    await withApi(args, async ({ api, place }) => {
      const decision = await unwrap(api.POST("/decisions", { body }));
      const { id, project, added } = decision;
      const replaced = body.supersedes === undefined ? "" : ` It replaces decision ${body.supersedes}.`;
      const proposed = decision.standing === "proposed" ? " A person confirms or drops it on Today." : "";
      const line = added
        ? `Recorded decision ${id} for ${project} ${place}.${replaced}${proposed}`
        : `No change: decision ${id} for ${project} ${place} has this text.`;
      const opposites = decision.contradicts.map(
        ({ id, text }) => `\nDecision ${id} says the opposite: ${escapeControls(text)}`,
      );
      const hint = opposites.length > 0 ? "\nPass --supersedes if yours replaces one of them." : "";
      await reportChange(args, decision, line + anchorText(anchors) + opposites.join("") + hint);
    });
  },
});

/** `svc decision check`: shows and sets what programs check of a decision. */
import { defineCommand } from "citty";
import { escapeControls } from "../../../src/core/lib/strings/display-text.ts";
import { ruleText } from "../../../src/memory/checks/rule-text.ts";
import { CheckRule } from "../../../src/memory/checks/schema.ts";
import { DecisionPath } from "../../../src/memory/list-schemas.ts";
import { apiFlags, withApi } from "../../api.ts";
import { type Schemas, unwrap } from "../../client/client.ts";
import { checkFlags, printLine } from "../../command.ts";
import { UsageError } from "../../command-errors.ts";
import { reportChange } from "../../output/report.ts";
import { plural } from "../../output/table.ts";

const ruleFlags = {
  kind: { type: "string", description: "Add a check: forbid, require, command, run, or asset" },
  text: { type: "string", description: "Exact text, or the words of a command" },
  pattern: { type: "string", description: "RE2, in place of the text" },
  paths: { type: "string", description: "Globs of files, comma-separated" },
  run: { type: "string", description: "Command that has to exit with 0" },
  "max-bytes": { type: "string", description: "Limit of an asset in bytes" },
  "max-width": { type: "string", description: "Limit of an asset in pixels" },
  "max-height": { type: "string", description: "Limit of an asset in pixels" },
  "min-width": { type: "string", description: "Limit of an asset in pixels" },
  "min-height": { type: "string", description: "Limit of an asset in pixels" },
  "max-duration-ms": { type: "string", description: "Limit of an asset in milliseconds" },
  "min-contrast": { type: "string", description: "Of text in HTML or SVG: 4.5" },
  "forbid-metadata": { type: "string", description: "What a file must not say, comma-separated: gps,exif" },
  "require-metadata": { type: "string", description: "What a file has to say: title,alt,license" },
} as const;

export default defineCommand({
  meta: { name: "check", description: "Show the checks of a decision, add one, or save what is proposed" },
  args: {
    id: { type: "positional", description: "ID of the decision" },
    ...ruleFlags,
    save: { type: "boolean", description: "Save what is proposed by an agent, or by the words" },
    clear: { type: "boolean", description: "Remove all checks" },
    ...apiFlags,
  },
  async run({ args, rawArgs }) {
    const path = checkFlags(DecisionPath, { id: args.id });
    if (args.kind === undefined && Object.keys(ruleFlags).some((flag) => rawArgs.includes(`--${flag}`)))
      throw new UsageError("Missing --kind: forbid, require, command, run, or asset.");
    const added = args.kind === undefined ? [] : [checkFlags(CheckRule, args)];
    await withApi(args, async ({ api, place }) => {
      const { checks, proposed_checks } = await unwrap(api.GET("/decisions/{id}", { params: { path } }));
      // What an agent proposed is saved only if it is asked for: a check can run a command.
      const resent = checks
        .filter(({ standing }) => !args.clear && (standing === "confirmed" || args.save))
        .map(({ standing: _, actor: __, ...rule }) => rule);
      const rules = [...resent, ...(args.save ? proposed_checks : []), ...added] as Schemas["CheckRule"][];
      if (!args.save && !args.clear && added.length === 0) {
        const proposals = proposed_checks.map((rule) => ({ ...rule, standing: "proposed" as const }));
        for (const check of [...checks, ...proposals])
          await printLine(
            args.json
              ? JSON.stringify(check)
              : escapeControls(`${check.standing}  ${ruleText(check as CheckRule)}`),
          );
        return;
      }
      const body = { checks: rules };
      const decision = await unwrap(api.PUT("/decisions/{id}/checks", { params: { path }, body }));
      await reportChange(
        args,
        decision,
        `Decision ${path.id} has ${plural(rules.length, "check")} ${place}.`,
      );
    });
  },
});

/** `svc redact`: deletes a text wherever it stands, after a preview. */
import { defineCommand } from "citty";
import { RemovalSubjectInput } from "../../../src/library/removals/schema.ts";
import { apiFlags } from "../../api.ts";
import { checkFlags } from "../../command.ts";
import { yesFlag } from "../../output/agree.ts";
import { takeBackFlags, takeBackWith } from "./take-back.ts";

export default defineCommand({
  args: {
    kind: { type: "positional", required: true, description: "event, annotation or decision" },
    subject: { type: "positional", required: true, description: "Its ID" },
    ...takeBackFlags,
    ...yesFlag,
    ...apiFlags,
  },
  async run({ args }) {
    const { kind, subject } = checkFlags(RemovalSubjectInput, args);
    await takeBackWith(args, { kind, subject }, `Redact the text of ${kind} ${subject}`);
  },
});

/** `svc erase`: replaces the names of a person wherever they stand, after a preview. */
import { defineCommand } from "citty";
import { apiFlags } from "../../api.ts";
import { textFlag } from "../../command.ts";
import { yesFlag } from "../../output/agree.ts";
import { takeBackFlags, takeBackWith } from "./take-back.ts";

export default defineCommand({
  args: {
    name: { type: "positional", required: true, description: "ID of a person, or the name of a token" },
    also: textFlag("Further names that texts have, separated by commas", "names"),
    ...takeBackFlags,
    ...yesFlag,
    ...apiFlags,
  },
  run: ({ args }) =>
    takeBackWith(args, { kind: "person", subject: args.name, also: args.also }, `Erase ${args.name}`),
});

/** `svc review-policy repeats`: whether a project refuses files that it has rejected. */
import { defineCommand } from "citty";
import { RepeatPolicyInput } from "../../../src/library/repeats/requests.ts";
import { apiFlags, byField, withApi } from "../../api.ts";
import { unwrap } from "../../client/client.ts";
import { byFlag, checkFlags, printLine } from "../../command.ts";
import { UsageError } from "../../command-errors.ts";
import { reportChange } from "../../output/report.ts";

const answers = ["accept", "refuse"];

export default defineCommand({
  meta: { name: "repeats", description: "Set or show whether a project refuses files that it has rejected" },
  args: {
    project: { type: "positional", required: true, description: "Project slug" },
    answer: { type: "positional", required: false, description: "accept or refuse; none to show it" },
    ...byFlag,
    ...apiFlags,
  },
  async run({ args }) {
    const { project, answer } = args;
    if (answer === undefined) {
      const params = { path: { slug: project } };
      const policy = await withApi(args, ({ api }) =>
        unwrap(api.GET("/projects/{slug}/repeat-policy", { params })),
      );
      return printLine(args.json ? JSON.stringify(policy) : `${describe(policy.refuse, project, "")}.`);
    }
    if (!answers.includes(answer)) throw new UsageError("Write accept or refuse.");
    const { slug, ...body } = checkFlags(RepeatPolicyInput, {
      slug: project,
      refuse: answer === "refuse",
      ...byField(args),
    });
    await withApi(args, async ({ api, place }) => {
      const params = { path: { slug } };
      const policy = await unwrap(api.PUT("/projects/{slug}/repeat-policy", { params, body }));
      await reportChange(args, policy, `${describe(policy.refuse, slug, "now ")} ${place}.`);
    });
  },
});

const describe = (isRefused: boolean, project: string, when: string): string =>
  `${project} ${when}${isRefused ? "refuses" : "accepts"} files that it has rejected`;

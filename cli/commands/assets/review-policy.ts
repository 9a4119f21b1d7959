/** `svc review-policy`: set, list, remove, repeats. */
import { type ArgsDef, defineCommand } from "citty";
import { escapeControls } from "../../../src/core/lib/strings/display-text.ts";
import { assetKinds } from "../../../src/library/assets/schema.ts";
import { PoliciesPath, PolicyInput } from "../../../src/library/verdicts/requests.ts";
import type { RoleCount } from "../../../src/library/verdicts/schema.ts";
import { readRoleCounts, rolesText } from "../../../src/library/verdicts/text.ts";
import { type ApiArgs, apiFlags, byField, withApi } from "../../api.ts";
import { type Schemas, unwrap } from "../../client/client.ts";
import { byFlag, checkFlags, printJsonLines, printLine } from "../../command.ts";
import { UsageError } from "../../command-errors.ts";
import { note, type OutputArgs, reportChange } from "../../output/report.ts";
import { fittedTable } from "../../output/table.ts";
import { currentProject, currentProjectArg } from "../../repository/current-project.ts";
import repeats from "./repeat-policy.ts";

const placeArgs = {
  project: { type: "positional", required: true, description: "Project slug" },
  kind: { type: "positional", required: true, description: `Kind of assets: ${assetKinds.join(", ")}` },
} as const satisfies ArgsDef;

const set = defineCommand({
  meta: { name: "set", description: "Set who has to approve the assets of a project and kind" },
  args: {
    ...placeArgs,
    need: {
      type: "positional",
      required: true,
      valueHint: "…",
      description: "Review roles and how many of each, such as design legal=2",
    },
    ...byFlag,
    ...apiFlags,
  },
  async run({ args }) {
    const need = readRoleCounts(args._.slice(2));
    if (need === null) throw new UsageError("Write roles with their counts, such as design legal=2.");
    await save(args, need);
  },
});

const remove = defineCommand({
  meta: { name: "remove", description: "Remove a review policy: one approval is enough again" },
  args: { ...placeArgs, ...byFlag, ...apiFlags },
  run: ({ args }) => save(args, []),
});

type SetArgs = ApiArgs & OutputArgs & { project: string; kind: string };

async function save(args: SetArgs, need: RoleCount[]): Promise<void> {
  const { slug, kind, ...body } = checkFlags(PolicyInput, {
    slug: args.project,
    kind: args.kind,
    need,
    ...byField(args),
  });
  await withApi(args, async ({ api, place }) => {
    const params = { path: { slug, kind } };
    const policy = await unwrap(api.PUT("/projects/{slug}/review-policies/{kind}", { params, body }));
    await reportChange(args, policy, `${describeChange(policy)} ${place}.`);
  });
}

function describeChange({ project, kind, need, changed }: Schemas["ReviewPolicySet"]): string {
  const assets = `${project} of the kind ${kind}`;
  if (need.length === 0)
    return changed ? `Removed the review policy for assets of ${assets}` : `There is no policy for ${assets}`;
  return `Assets of ${assets} ${changed ? "now need" : "already needed"} approvals of ${rolesText(need)}`;
}

const listCommand = defineCommand({
  meta: { name: "list", description: "List the review policies of a project" },
  args: { project: currentProjectArg, ...apiFlags },
  async run({ args }) {
    const { policies } = await withApi(args, async (access) => {
      const path = checkFlags(PoliciesPath, { slug: await currentProject(access, args, "PROJECT") });
      return unwrap(access.api.GET("/projects/{slug}/review-policies", { params: { path } }));
    });
    if (args.json) await printJsonLines(policies);
    else if (policies.length === 0) note(args, "No review policies: one approval is enough.");
    else await printLine(fittedTable(columns, policies.map(rowOf)));
  },
});

const columns = [
  { head: "KIND" },
  { head: "NEEDS", flexible: true as const },
  { head: "CHANGED", rank: 1 },
  { head: "BY", flexible: true as const },
];

const rowOf = ({ kind, need, changed_at, changed_by }: Schemas["ReviewPolicy"]): string[] => [
  ...[kind, rolesText(need), changed_at.slice(0, 10), escapeControls(changed_by)],
];

export default defineCommand({ subCommands: { set, list: listCommand, remove, repeats } });

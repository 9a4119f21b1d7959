/** `svc asset review`: approves or rejects an asset, with answers to the checklist. */
import { defineCommand } from "citty";
import { escapeControls } from "../../../src/core/lib/strings/display-text.ts";
import { ReviewInput } from "../../../src/library/assets/requests.ts";
import type { AnswersInput } from "../../../src/library/checklists/schema.ts";
import { waitingText } from "../../../src/library/verdicts/text.ts";
import { type ApiAccess, apiFlags, byField, withApi } from "../../api.ts";
import { type Schemas, unwrap } from "../../client/client.ts";
import { byFlag, checkFlags, splitList } from "../../command.ts";
import { CommandError, UsageError } from "../../command-errors.ts";
import { reportChange } from "../../output/report.ts";
import { anchorsFlag, findAnchors } from "../../repository/given-anchors.ts";
import { assetIdArg } from "./annotations.ts";

const answerFlag = (description: string) =>
  ({ type: "string", description: `${description}, comma-separated; or all`, valueHint: "items" }) as const;

export const answerFlags = {
  pass: answerFlag("Items of the checklist that pass (svc checklist show --json has their ids)"),
  fail: answerFlag("Items that fail"),
  na: answerFlag("Items that do not apply"),
};

export default defineCommand({
  meta: { name: "review", description: "Approve or reject an asset" },
  args: {
    ...assetIdArg,
    decision: { type: "positional", required: true, description: "approved or rejected" },
    note: { type: "string", description: "Reason, required to reject; it becomes a decision of the project" },
    ...anchorsFlag,
    checks: {
      type: "string",
      description: 'Of a rejection, what programs check, as JSON: [{"kind":"forbid","text":"#FF0000"}]',
    },
    ...answerFlags,
    ...byFlag,
    ...apiFlags,
  },
  async run({ args }) {
    const { id, decision, note, pass, fail, na } = args;
    await withApi(args, async (access) => {
      const { api, place } = access;
      const checklist = await answersOf(access, id, { pass, fail, na });
      const rules = decision === "rejected" || args.anchors !== undefined ? anchorsOf(args) : {};
      const given = { id, decision, note, checklist, ...rules, ...checksOf(args.checks), ...byField(args) };
      const { id: _, ...body } = checkFlags(ReviewInput, given);
      const path = { id };
      const asset = await unwrap(api.PUT("/assets/{id}/review", { params: { path }, body }));
      const detail =
        asset.status === "pending" ? await unwrap(api.GET("/assets/{id}", { params: { path } })) : null;
      const wait = detail?.approvals ? `: ${waitingText(detail.approvals)}` : "";
      const verb = decision === "approved" ? "Approved" : "Rejected";
      await reportChange(args, asset, `${verb} ${describe(asset)} ${place}${wait}.`);
    });
  },
});

/** As given, or the files of this checkout that the note names. */
function anchorsOf({ note = "", anchors }: { note?: string | undefined; anchors?: string | undefined }) {
  const found = findAnchors(note, anchors);
  return found.length > 0 ? { anchors: found } : {};
}

function checksOf(text: string | undefined): { checks?: unknown } {
  if (text === undefined) return {};
  try {
    return { checks: JSON.parse(text) };
  } catch {
    throw new UsageError('--checks is not JSON. Write [{"kind":"forbid","text":"#FF0000"}].');
  }
}

export const describe = ({ title, version }: Schemas["Asset"]): string =>
  `"${escapeControls(title)}", version ${version},`;

type Result = AnswersInput["answers"][number]["result"];

/** The answers to the current checklist of an asset; undefined if there are none. */
export async function answersOf(
  { api }: ApiAccess,
  id: string,
  given: Record<Result, string | undefined>,
): Promise<AnswersInput | undefined> {
  const results = (Object.keys(given) as Result[]).filter((result) => given[result] !== undefined);
  if (results.length === 0) return undefined;
  const { project, kind } = await unwrap(api.GET("/assets/{id}", { params: { path: { id } } }));
  if (project === null) throw new CommandError("This asset has no project, so it has no checklist.");
  const params = { path: { slug: project, kind } };
  const { version, items } = await unwrap(api.GET("/projects/{slug}/checklists/{kind}", { params }));
  const named = new Map<string, Result>();
  for (const result of results)
    for (const name of splitList(given[result] ?? "")) if (name !== "all") named.set(name, result);
  const other = results.find((result) => splitList(given[result] ?? "").includes("all"));
  for (const item of items) if (other && !named.has(item.id)) named.set(item.id, other);
  return { version, answers: [...named].map(([name, result]) => ({ id: name, result })) };
}

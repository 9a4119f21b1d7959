/** `svc asset review-set`: approves the picked variants of a set, and rejects the others with one note. */
import { defineCommand } from "citty";
import { escapeControls } from "../../../src/core/lib/strings/display-text.ts";
import { SetReviewInput } from "../../../src/library/variant-sets/schema.ts";
import { type ApiAccess, apiFlags, byField, withApi } from "../../api.ts";
import { type Schemas, unwrap } from "../../client/client.ts";
import { byFlag, checkFlags, splitList, textFlag } from "../../command.ts";
import { CommandError } from "../../command-errors.ts";
import { note as printNote, reportChange } from "../../output/report.ts";
import { currentProject, currentProjectFlag } from "../../repository/current-project.ts";
import { answerFlags, answersOf } from "./review.ts";

const pageLength = 200;
/** The value of `--reject` that stands for every pending variant that is not picked. */
const rest = "rest";

export default defineCommand({
  meta: {
    name: "review-set",
    description: "Approve the picked variants of a set, and reject others with one note",
  },
  args: {
    set: { type: "positional", required: true, description: "Name of the set" },
    ...currentProjectFlag,
    pick: { type: "string", description: "IDs of the assets to approve, comma-separated", valueHint: "ids" },
    reject: textFlag("IDs of those to reject, or rest: all that are pending and not picked", "ids"),
    note: { type: "string", description: "Why they were not picked, required to reject" },
    ...answerFlags,
    ...byFlag,
    ...apiFlags,
  },
  async run({ args }) {
    const { set, note, pass, fail, na } = args;
    await withApi(args, async (access) => {
      const project = await currentProject(access, args);
      const pending = await listPending(access, project, set);
      const picked = splitList(args.pick ?? "");
      const isRest = args.reject === rest;
      const rejected = isRest
        ? [...pending.keys()].filter((id) => !picked.includes(id))
        : splitList(args.reject ?? "");
      const review = (decision: "approved" | "rejected") => (id: string) => {
        const sha256 = pending.get(id);
        return { id, decision, ...(sha256 !== undefined && { sha256 }) };
      };
      const variants = [...picked.map(review("approved")), ...rejected.map(review("rejected"))];
      if (variants.length === 0)
        throw new CommandError("Nothing to review: name variants with --pick, or pass --reject rest.");
      const [first] = picked;
      const checklist = first === undefined ? undefined : await answersOf(access, first, { pass, fail, na });
      const given = { project, set, variants, note, checklist };
      const body = checkFlags(SetReviewInput, { ...given, ...byField(args) });
      const result = await unwrap(access.api.PUT("/assets/review", { body }));
      await reportChange(args, result, `${describe(result)} ${access.place}.`);
      for (const { id, error } of result.reviewed)
        if (error) printNote(args, `${id} was not reviewed: ${escapeControls(error.detail)}`);
      if (result.refused > 0) process.exitCode = 1;
    });
  },
});

/** The pending variants with the hash of their file. */
async function listPending({ api }: ApiAccess, project: string, set: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  let cursor: string | null | undefined;
  do {
    const query = { project, set, status: "pending" as const, limit: pageLength, ...(cursor && { cursor }) };
    const page = await unwrap(api.GET("/assets", { params: { query } }));
    for (const { id, sha256 } of page.assets) found.set(id, sha256);
    cursor = page.next_cursor;
  } while (cursor);
  return found;
}

function describe({ set, reviewed, refused }: Schemas["SetReview"]): string {
  const count = (status: string) => reviewed.filter((one) => !one.error && one.status === status).length;
  const waiting = count("pending");
  const counts = [
    `${count("approved")} approved`,
    `${count("rejected")} rejected`,
    ...(waiting > 0 ? [`${waiting} waiting for other reviewers`] : []),
    ...(refused > 0 ? [`${refused} refused`] : []),
  ];
  return `Set "${escapeControls(set)}": ${counts.join(", ")}`;
}

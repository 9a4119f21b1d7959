/** `svc asset request-review`: asks people to review an asset. */

import { defineCommand } from "citty";
import { listWithAnd } from "../../../src/core/lib/strings/word-list.ts";
import { fromMicros } from "../../../src/core/lib/time.ts";
import { ReviewRequestInput } from "../../../src/library/review-requests/requests.ts";
import { apiFlags, byField, withApi } from "../../api.ts";
import { type Schemas, unwrap } from "../../client/client.ts";
import { byFlag, checkFlags, runIdField, splitList, textFlag } from "../../command.ts";
import { parseDuration } from "../../output/duration.ts";
import { reportChange } from "../../output/report.ts";
import { assetIdArg } from "./annotations.ts";

/** `maria by agent:codex, due 2026-01-02T03:04:05Z: Is it readable?` */
export function describeRequest(request: Schemas["RequestedReview"]): string {
  const who = request.reviewers.length > 0 ? listWithAnd(request.reviewers) : "everyone";
  const due = request.due_at ? `, due ${request.due_at}` : "";
  return `${who} by ${request.asked_by}${due}${request.question ? `: ${request.question}` : ""}`;
}

export default defineCommand({
  meta: { name: "request-review", description: "Ask people to review an asset" },
  args: {
    ...assetIdArg,
    reviewer: textFlag("Tokens or roles, comma-separated (default: everyone who can review)", "names"),
    due: { type: "string", description: "When the review is due, such as 2h or 3d", valueHint: "time" },
    question: { type: "string", description: "What to look at, in one line" },
    "run-id": { type: "string", description: "The run that asks", valueHint: "id" },
    ...byFlag,
    ...apiFlags,
  },
  async run({ args }) {
    const due = args.due === undefined ? undefined : Date.now() * 1_000 + parseDuration("due", args.due);
    const { id, ...body } = checkFlags(ReviewRequestInput, {
      id: args.id,
      ...(args.reviewer !== undefined && { reviewers: splitList(args.reviewer) }),
      ...(due !== undefined && { due_at: fromMicros(due) }),
      question: args.question,
      ...runIdField(args),
      ...byField(args),
    });
    await withApi(args, async ({ api, place }) => {
      const request = await unwrap(
        api.POST("/assets/{id}/review-requests", { params: { path: { id } }, body }),
      );
      await reportChange(
        args,
        request,
        `Asked ${describeRequest(request)} ${place}. Review: ${request.review_url}`,
      );
    });
  },
});

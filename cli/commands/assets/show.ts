/** `svc asset show`: an asset with its versions and URLs. */
import { defineCommand } from "citty";
import { escapeControls } from "../../../src/core/lib/strings/display-text.ts";
import { limitText } from "../../../src/library/assets/limit-text.ts";
import { repeatText } from "../../../src/library/repeats/text.ts";
import { waitingText } from "../../../src/library/verdicts/text.ts";
import { apiFlags, withApi } from "../../api.ts";
import { type Schemas, unwrap } from "../../client/client.ts";
import { printLine } from "../../command.ts";
import { formatCount } from "../../output/table.ts";
import { assetIdArg } from "./annotations.ts";
import { describeRequest } from "./request-review.ts";

export default defineCommand({
  meta: { name: "show", description: "Show an asset with its versions and URLs" },
  args: {
    ...assetIdArg,
    ...apiFlags,
  },
  async run({ args }) {
    const asset = await withApi(args, ({ api }) =>
      unwrap(api.GET("/assets/{id}", { params: { path: { id: args.id } } })),
    );
    await printLine(args.json ? JSON.stringify(asset) : formatAsset(asset));
  },
});

type Detail = Schemas["AssetDetail"];
type Value = string | null | undefined;

function describeType({ kind, mime, size, width, height, duration_ms }: Detail): string {
  const measures = [
    ...(width ? [`${width}×${height}`] : []),
    ...(duration_ms === null ? [] : [`${duration_ms} ms`]),
  ];
  return [kind, mime, `${formatCount(size)} bytes`, ...measures].join(", ");
}

const describeReview = ({ reviewed_by, reviewed_at, review_note }: Detail): Value =>
  reviewed_by && `${reviewed_at} by ${reviewed_by}${review_note ? `: ${review_note}` : ""}`;

const reasonOf = ({ reason }: Schemas["Repeats"]): string =>
  reason === null ? "" : ` Uploaded again because: ${reason}`;

/** The verdicts, unless the review says as much. */
const describeVerdicts = ({ verdicts, approvals }: Detail): string[] =>
  (approvals === null && verdicts.length < 2 ? [] : verdicts).map(
    ({ reviewer, role, decision, at, note }) =>
      `${at} ${decision} by ${reviewer}${role ? ` (${role})` : ""}${note ? `: ${note}` : ""}`,
  );

function describeApprovals(approvals: NonNullable<Detail["approvals"]>): string {
  const { have, need, missing } = approvals;
  return `${have} of ${need}${missing.length > 0 ? `, ${waitingText(approvals)}` : ""}`;
}

type DetailOnly = "task_url" | "approvals" | "verdicts" | "review_request";

/** The lines below the title, in this order. Null: the field is part of another line, or has none. */
const lines: Record<
  keyof Schemas["Asset"] | DetailOnly,
  [label: string, (asset: Detail) => Value | string[]] | null
> = {
  project: ["project", (asset) => asset.project],
  task: ["task key", (asset) => asset.task ?? null],
  task_url: ["task", (asset) => asset.task_url],
  kind: ["type", describeType],
  created_at: ["created", (asset) => `${asset.created_at} by ${asset.created_by}`],
  reviewed_by: ["review", describeReview],
  repeats: [
    "repeats",
    ({ repeats }) => repeats && `${repeats.text ?? repeatText(repeats)}${reasonOf(repeats)}`,
  ],
  limits: ["limits", ({ limits }) => limits?.map(limitText)],
  approvals: ["approvals", ({ approvals }) => approvals && describeApprovals(approvals)],
  verdicts: ["verdict", describeVerdicts],
  review_request: ["asked of", (asset) => asset.review_request && describeRequest(asset.review_request)],
  expires_at: ["expires", (asset) => asset.expires_at],
  sha256: ["sha256", (asset) => asset.sha256],
  url: ["view", (asset) => asset.url],
  bundle_url: ["page", (asset) => asset.bundle_url],
  public_url: ["public", (asset) => asset.public_url],
  id: null,
  title: null,
  version: null,
  status: null,
  mime: null,
  size: null,
  width: null,
  height: null,
  duration_ms: null,
  created_by: null,
  reviewed_at: null,
  review_note: null,
  issue: null,
  pr: null,
  description: null,
  parent_id: null,
  tags: null,
  run_id: null,
  set: null,
  thumb_url: null,
  review_url: null,
};

function formatAsset(asset: Detail): string {
  const shown = Object.values(lines).flatMap((line) => {
    if (!line) return [];
    const [label, describe] = line;
    return [describe(asset)]
      .flat()
      .flatMap((value) => (value ? [`${label.padEnd(8)} ${escapeControls(value)}`] : []));
  });
  const versions = asset.versions.map(
    ({ version, status, id, created_at, created_by }) =>
      `  v${version}  ${status.padEnd(10)}  ${id}  ${created_at}  ${escapeControls(created_by)}`,
  );
  return [
    `${escapeControls(asset.title)}  version ${asset.version}, ${asset.status}`,
    ...shown,
    "",
    "Versions",
    ...versions,
  ].join("\n");
}

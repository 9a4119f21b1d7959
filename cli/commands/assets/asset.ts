/** `svc asset`: push, list, show, request-review, review, review-set, annotations, annotate, wait, remove-metadata, publish, unpublish, delete. */
import { type ArgsDef, defineCommand } from "citty";
import { escapeControls } from "../../../src/core/lib/strings/display-text.ts";
import { AssetsQuery } from "../../../src/library/assets/requests.ts";
import { type ApiArgs, apiFlags, requireProject, withApi } from "../../api.ts";
import { type Schemas, unwrap } from "../../client/client.ts";
import { byFlag, checkFlags, flagOf, printJsonLines, printLine } from "../../command.ts";
import { note, type OutputArgs, reportChange } from "../../output/report.ts";
import { fittedTable, formatAge, formatCount } from "../../output/table.ts";
import annotate from "./annotate.ts";
import annotations, { assetIdArg } from "./annotations.ts";
import push from "./push.ts";
import { remove, unpublish } from "./remove.ts";
import requestReview from "./request-review.ts";
import review, { describe } from "./review.ts";
import reviewSet from "./review-set.ts";
import show from "./show.ts";
import wait from "./wait.ts";

/** One flag for each filter of the list. */
const filterFlags: ArgsDef = Object.fromEntries(
  Object.entries(AssetsQuery.properties).map(([name, schema]) => [
    flagOf(name),
    { type: "string", description: schema.description ?? `Filter by ${name}` },
  ]),
);

const listCommand = defineCommand({
  meta: { name: "list", description: "List assets, pending first, then newest first" },
  args: { ...filterFlags, ...apiFlags },
  async run({ args }) {
    const query = checkFlags(AssetsQuery, args);
    const page = await withApi(args as ApiArgs, async (access) => {
      const result = await unwrap(access.api.GET("/assets", { params: { query } }));
      if (result.count === 0 && query.project !== undefined) await requireProject(access, query.project);
      return result;
    });
    if (args.json) await printJsonLines(page.assets);
    else await printLine(fittedTable(columns, page.assets.map(toRow)));
    if (page.next_cursor && !args.json) note(args as OutputArgs, `Next page: --cursor ${page.next_cursor}`);
  },
});

const columns = [
  { head: "ID" },
  { head: "STATUS" },
  { head: "KIND", rank: 2 },
  { head: "VERSION", rank: 4 },
  { head: "SIZE", rank: 5 },
  { head: "CREATED", rank: 3 },
  { head: "PROJECT", rank: 1 },
  { head: "TITLE", flexible: true as const },
];

const toRow = (asset: Schemas["Asset"]): string[] => [
  asset.id,
  asset.status,
  asset.kind,
  `v${asset.version}`,
  formatCount(asset.size),
  formatAge(Date.now() - Date.parse(asset.created_at)),
  asset.project ?? "–",
  escapeControls(asset.title),
];

/** The same image without what it says of how it was made. */
const removeMetadata = defineCommand({
  meta: { name: "remove-metadata", description: "Add a version without the metadata of the file" },
  args: { ...assetIdArg, ...apiFlags },
  async run({ args }) {
    await withApi(args, async ({ api, place }) => {
      const path = { id: args.id };
      const asset = await unwrap(api.POST("/assets/{id}/remove-metadata", { params: { path } }));
      const name = `"${escapeControls(asset.title)}", version ${asset.version},`;
      await reportChange(args, asset, `Uploaded ${name} without metadata ${place}: ${asset.id}`);
    });
  },
});

/** Before it is public for ever. */
async function warnOfPrompt(args: OutputArgs, asset: Schemas["AssetDetail"]): Promise<void> {
  const isInFile = asset.provenance.some(({ source, prompt }) => source !== "upload" && prompt !== null);
  if (isInFile && asset.status === "approved")
    note(args, "Warning: the file contains its prompt, which is public once the file is published.");
}

const publish = defineCommand({
  meta: { name: "publish", description: "Publish an approved asset and print its permanent URL" },
  args: { ...assetIdArg, ...byFlag, ...apiFlags },
  async run({ args }) {
    await withApi(args, async ({ api, place }) => {
      await warnOfPrompt(args, await unwrap(api.GET("/assets/{id}", { params: { path: { id: args.id } } })));
      const asset = await unwrap(api.POST("/assets/{id}/publish", { params: { path: { id: args.id } } }));
      await printLine(args.json ? JSON.stringify(asset) : (asset.public_url as string));
      if (!args.json) note(args, `Published ${describe(asset)} ${place}.`);
    });
  },
});

export default defineCommand({
  subCommands: {
    push,
    list: listCommand,
    show,
    "request-review": requestReview,
    review,
    annotations,
    annotate,
    "review-set": reviewSet,
    wait,
    "remove-metadata": removeMetadata,
    publish,
    unpublish,
    delete: remove,
  },
});

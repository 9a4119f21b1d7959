/** `svc asset unpublish` and `svc asset delete`: take back an asset, after a preview. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { defineCommand } from "citty";
import { escapeControls } from "../../../src/core/lib/strings/display-text.ts";
import { type ApiAccess, apiFlags, withApi } from "../../api.ts";
import { type Schemas, unwrap } from "../../client/client.ts";
import { CommandError } from "../../command-errors.ts";
import { requireAgreement, yesFlag } from "../../output/agree.ts";
import { note, type OutputArgs, reportChange } from "../../output/report.ts";
import { formatCount } from "../../output/table.ts";
import { assetIdArg } from "./annotations.ts";

const removalFlags = {
  ...assetIdArg,
  reason: { type: "string", required: true, description: "Why; it stays" },
  ...yesFlag,
  ...apiFlags,
} as const;

async function load({ api }: ApiAccess, id: string) {
  const params = { path: { id } };
  const [asset, preview] = await Promise.all([
    unwrap(api.GET("/assets/{id}", { params })),
    unwrap(api.GET("/assets/{id}/removal", { params })),
  ]);
  return { asset, preview, title: `"${escapeControls(asset.title)}", version ${asset.version}` };
}

/** What is left to do after the removal: the files that the store could not delete yet. */
function noteUnfinished(args: OutputArgs, { removals }: Schemas["AssetDetail"]): void {
  if (removals.some(({ finished_at }) => finished_at === null))
    note(args, "The store did not answer, so the files are not deleted yet. svc serve tries again.");
}

export const unpublish = defineCommand({
  meta: { name: "unpublish", description: "Delete the public copy of an asset; its URL answers 410" },
  args: removalFlags,
  async run({ args }) {
    const { id, reason } = args;
    await withApi(args, async (access) => {
      const { asset, title } = await load(access, id);
      const preview = [`${title}: ${asset.public_url ?? "not published"}`];
      if (asset.public_url) await requireAgreement(args, preview, "Unpublish it?");
      const path = { id };
      const body = { reason };
      const changed = await unwrap(access.api.POST("/assets/{id}/unpublish", { params: { path }, body }));
      noteUnfinished(args, changed);
      await reportChange(args, changed, `Unpublished ${title} ${access.place}.`);
    });
  },
});

export const remove = defineCommand({
  meta: { name: "delete", description: "Delete the files of an asset; its hash and reviews stay" },
  args: {
    ...removalFlags,
    "all-versions": { type: "boolean", description: "The files of all versions" },
    export: { type: "string", description: "First save the files in this folder", valueHint: "folder" },
  },
  async run({ args }) {
    const { id, reason } = args;
    const all_versions = args["all-versions"] ?? false;
    await withApi(args, async (access) => {
      const { preview, title } = await load(access, id);
      const removed = preview.versions.filter((one) => all_versions || one.id === id);
      const lines = [
        ...removed.map(describeVersion),
        ...(preview.shares > 0 ? [`${formatCount(preview.shares)} share links no longer show it.`] : []),
        ...(preview.same_file.length > 0
          ? [`Other assets have the same file and keep it: ${preview.same_file.join(", ")}`]
          : []),
      ];
      await requireAgreement(args, lines, `Delete the files of ${title}?`);
      if (args.export !== undefined)
        for (const { id, url } of removed) if (url) await saveFile(access, { id, url }, args.export);
      const params = { path: { id } };
      const body = { reason, all_versions };
      const changed = await unwrap(access.api.POST("/assets/{id}/delete-files", { params, body }));
      noteUnfinished(args, changed);
      await reportChange(args, changed, `Deleted the files of ${title} ${access.place}.`);
    });
  },
});

const describeVersion = (version: Schemas["RemovalPreview"]["versions"][number]): string =>
  `Version ${version.version}: ${version.has_file ? `${formatCount(version.size)} bytes` : "no file"}` +
  (version.public_url ? `, published at ${version.public_url}` : "");

/** Saves the file of an asset under its id, so that two versions do not collide. */
async function saveFile({ fetch }: ApiAccess, { id, url }: { id: string; url: string }, folder: string) {
  const response = await fetch(url, {});
  if (!response.ok) throw new CommandError(`Cannot download ${id}, so nothing was deleted.`);
  await mkdir(folder, { recursive: true });
  const name = decodeURIComponent(new URL(url).pathname.split("/").at(-1) as string);
  await Bun.write(join(folder, `${id}-${name}`), response);
}

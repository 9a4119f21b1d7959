/** `svc asset push`: uploads files and folders, and prints where to review them. */
import { type ArgsDef, defineCommand } from "citty";
import { limitText } from "../../../src/library/assets/limit-text.ts";
import { assetPageUrl } from "../../../src/library/assets/page-url.ts";
import { AssetMetadata } from "../../../src/library/assets/schema.ts";
import { setPageUrl } from "../../../src/memory/set-ref.ts";
import { type ApiAccess, byField, remoteFlags, withApi } from "../../api.ts";
import type { Schemas } from "../../client/client.ts";
import {
  byFlag,
  CommandError,
  checkFlags,
  flagOf,
  printLine,
  reportErrors,
  runIdField,
  UsageError,
} from "../../command.ts";
import { openProgress, type PausableProgress } from "../../output/progress.ts";
import { note, type OutputArgs, outputFlags } from "../../output/report.ts";
import { confirm } from "../../output/terminal.ts";
import { currentProject, currentProjectFlag } from "../../repository/current-project.ts";
import { findLatestVersion } from "./upload/latest-version.ts";
import { describeRepeat, ifReadable, RepeatedFileError } from "./upload/repeated-file.ts";
import { unchangedFields } from "./upload/unchanged-fields.ts";
import { type Metadata, type PushedAsset, uploadFile } from "./upload/upload-file.ts";
import { listUploadPaths, type UploadPath } from "./upload/upload-paths.ts";

/** The value of `--replaces` that stands for the newest version with the same title and task. */
const latest = "latest";

const describedFlags = {
  ...currentProjectFlag,
  issue: { type: "string", description: "Issue number" },
  pr: { type: "string", description: "Pull request number" },
  task: { type: "string", description: "Task of your tracker, such as PROJ-123", valueHint: "key" },
  title: {
    type: "string",
    description: "Title (default: that of the replaced version, or the file name or path)",
  },
  description: { type: "string", description: "Description" },
  tags: { type: "string", description: "Comma-separated tags" },
  replaces: {
    type: "string",
    description:
      "ID of the asset that the file replaces, or latest: the newest one of the same title and task",
    valueHint: "id",
  },
  set: { type: "string", description: "Variant set that they belong to, by its name" },
  "run-id": { type: "string", description: "The run that made them" },
  resubmit: {
    type: "string",
    description: "Why files that were rejected are uploaded again: without it, they are not",
    valueHint: "reason",
  },
} as const satisfies ArgsDef;

/** A flag for each other field of the metadata, such as how the files were made. */
const otherFlags: ArgsDef = Object.fromEntries(
  Object.entries(AssetMetadata.properties)
    .filter(([name]) => !(flagOf(name) in describedFlags) && !(name in byFlag))
    .map(([name, { description = "" }]) => [flagOf(name), { type: "string", description }]),
);

export default defineCommand({
  meta: {
    name: "push",
    description: "Upload files and folders as assets; a second run uploads only missing files",
  },
  args: {
    file: { type: "positional", required: true, valueHint: "…", description: "Files and folders" },
    ...describedFlags,
    ...otherFlags,
    ...byFlag,
    ...outputFlags,
    ...remoteFlags,
  },
  run: reportErrors(async ({ args }) => {
    const { replaces, by: _, ...fields } = args;
    const files = await listUploadPaths(args._);
    if (files.length > 1 && (args.title || (replaces && replaces !== latest)))
      throw new UsageError("--title and --replaces with an ID need exactly one file.");
    const total = files.reduce((sum, { size }) => sum + size, 0);
    const bar = openProgress("Uploading", total, args);
    await withApi(args, async (access) => {
      const project = await currentProject(access, args);
      const metadata = checkFlags(AssetMetadata, {
        ...fields,
        project,
        ...runIdField(args),
        ...byField(args),
      });
      const pushed: PushedAsset[] = [];
      const repeated: string[] = [];
      for (const file of files) {
        const one = { ...metadata, title: args.title ?? file.title };
        const parent = await parentOf(access, one, args, bar);
        // A new version keeps the title of the one before, unless it is given another.
        const upload = parent ? { ...metadata, replaces: parent } : one;
        const asset = await uploadOne(access, file, upload, bar, args).catch((error) => {
          if (!(error instanceof RepeatedFileError)) throw error;
          repeated.push(error.message);
          return null;
        });
        if (asset) pushed.push(asset);
      }
      bar.clear();
      if (repeated.length > 0) throw new CommandError(repeated.join("\n"));
      if (args.json) return;
      const isNew = pushed.filter(({ skipped }) => !skipped).length;
      if (files.length > 1)
        note(
          args,
          `Uploaded ${isNew} of ${files.length} files ${access.place}. ` +
            `Review: ${queueUrl(access, metadata)}`,
        );
      else note(args, `${isNew ? "Uploaded" : "Already uploaded"} ${access.place}.`);
    }).finally(bar.end);
  }),
});

const queueUrl = (access: ApiAccess, { project, set }: Omit<Metadata, "title">): string =>
  set === undefined
    ? `${access.siteUrl}/assets?project=${encodeURIComponent(project)}&status=pending`
    : setPageUrl(access, project, set);

async function uploadOne(
  access: ApiAccess,
  { path }: UploadPath,
  metadata: Metadata,
  bar: PausableProgress,
  args: OutputArgs,
): Promise<PushedAsset> {
  const asset = await uploadFile(access, path, metadata, bar);
  const review_url = assetPageUrl(access, asset.id);
  bar.clear();
  const suffix = asset.skipped ? "  (already uploaded)" : "";
  await printLine(
    args.json
      ? JSON.stringify({ ...asset, review_url })
      : `${asset.id}  version ${asset.version}  ${asset.kind}${suffix}  ${path}\n  ${review_url}`,
  );
  if (asset.repeats && !asset.skipped)
    note(args, `Warning: ${describeRepeat(asset.repeats)} The reviewer sees that too.`);
  for (const limit of asset.limits ?? []) note(args, `Warning: Beyond ${limitText(limit)}`);
  if (asset.size === 0) note(args, `Warning: ${path} is empty (0 bytes).`);
  const unchanged = asset.skipped ? unchangedFields(asset, metadata) : "";
  if (unchanged)
    note(args, `${path} keeps ${unchanged}. To upload it with other values: --replaces ${asset.id}`);
  return asset;
}

interface ReplaceArgs extends OutputArgs {
  replaces?: string | undefined;
}

/**
 * The ID of the asset that an upload replaces. Without `--replaces`, a terminal asks whether to replace an
 * asset of the same title and task; elsewhere a note says how.
 */
async function parentOf(
  access: ApiAccess,
  metadata: Omit<Metadata, "title"> & { title: string },
  args: ReplaceArgs,
  bar: PausableProgress,
): Promise<string | null> {
  if (args.replaces && args.replaces !== latest) return args.replaces;
  // Neither asked nor told, so not looked up: that reads pages of assets for each file.
  if (args.replaces !== latest && (args.json || args.quiet)) return null;
  const search = findLatestVersion(access, metadata);
  const found = args.replaces === latest ? await search : await ifReadable(search);
  if (!found || args.replaces === latest) return found?.id ?? null;
  bar.clear();
  const what = `${titleOf(found)} is ${found.status}, version ${found.version}`;
  if (process.stdin.isTTY && process.stderr.isTTY) {
    note(args, `${what}.`);
    return (await confirm("Replace it with a new version?")) ? found.id : null;
  }
  note(args, `${what} (${found.id}). To replace such an asset: --replaces latest`);
  return null;
}

const titleOf = ({ title, project, issue, task: key, pr }: Schemas["Asset"]): string => {
  const task = key ? `, ${key}` : issue ? `, issue ${issue}` : pr ? `, pull request ${pr}` : "";
  return `"${title}" (${project}${task})`;
};

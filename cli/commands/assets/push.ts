/** `svc asset push`: uploads files and folders, and prints where to review them. */
import { type ArgsDef, defineCommand } from "citty";
import { escapeControls } from "../../../src/core/lib/strings/display-text.ts";
import { limitText } from "../../../src/library/assets/limit-text.ts";
import { assetPageUrl } from "../../../src/library/assets/page-url.ts";
import { AssetMetadata } from "../../../src/library/assets/schema.ts";
import { setPageUrl } from "../../../src/memory/set-ref.ts";
import { type ApiAccess, apiFlags, byField, withApi } from "../../api.ts";
import { byFlag, checkFlags, flagOf, printLine, runIdField, textFlag } from "../../command.ts";
import { CommandError, UsageError } from "../../command-errors.ts";
import { openProgress } from "../../output/progress.ts";
import { note, type OutputArgs } from "../../output/report.ts";
import { currentProject, currentProjectFlag } from "../../repository/current-project.ts";
import { findParents, latest } from "./upload/find-parents.ts";
import { describeRepeat, RepeatedFileError } from "./upload/repeated-file.ts";
import { type Metadata, openUploader, type PushedAsset } from "./upload/upload-file.ts";
import { listUploadPaths, type UploadPath } from "./upload/upload-paths.ts";
import { uploadInPool } from "./upload/upload-pool.ts";

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
  resubmit: textFlag("Why files that were rejected are uploaded again: without it, they are not", "reason"),
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
    ...apiFlags,
  },
  async run({ args }) {
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
      const titles = new Set(files.map(({ title }) => args.title ?? title));
      const parents = await findParents(access, titles, metadata, args, bar);
      const upload = openUploader(access, bar);
      const pushed: PushedAsset[] = [];
      const repeated: string[] = [];
      const uploadNext = async (file: UploadPath): Promise<Outcome> => {
        const title = args.title ?? file.title;
        const parent = parents.get(title);
        // A new version keeps the title of the one before, unless it is given another.
        const given = parent ? { ...metadata, replaces: parent } : { ...metadata, title };
        try {
          const asset = await upload(file.path, given);
          // The next file of this title replaces this one.
          if ((parent || replaces === latest) && !asset.skipped) parents.set(title, asset.id);
          return { asset, given };
        } catch (error) {
          if (error instanceof RepeatedFileError) return error;
          throw error;
        }
      };
      await uploadInPool(files, uploadNext, async ({ path }, outcome) => {
        if (outcome instanceof RepeatedFileError) return void repeated.push(outcome.message);
        pushed.push(outcome.asset);
        bar.clear();
        await printUpload(access, path, outcome, args);
      });
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
  },
});

const queueUrl = (access: ApiAccess, { project, set }: Omit<Metadata, "title">): string =>
  set === undefined
    ? `${access.siteUrl}/assets?project=${encodeURIComponent(project)}&status=pending`
    : setPageUrl(access, project, set);

/** What became of a file; the error of one that was already rejected. */
type Outcome = { asset: PushedAsset; given: Metadata } | RepeatedFileError;

async function printUpload(
  access: ApiAccess,
  path: string,
  { asset, given }: Exclude<Outcome, Error>,
  args: OutputArgs,
): Promise<void> {
  const review_url = assetPageUrl(access, asset.id);
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
  const unchanged = asset.skipped ? unchangedFields(asset, given) : "";
  if (unchanged)
    note(args, `${path} keeps ${unchanged}. To upload it with other values: --replaces ${asset.id}`);
}

/** Describes the fields of the asset that differ from what the push gave: `title "Map", no issue`. */
function unchangedFields(asset: PushedAsset, given: Metadata): string {
  return Object.entries(given)
    .filter(([name, value]) => name in asset && !Bun.deepEquals(fieldOf(asset, name), value))
    .map(([name]) => describe(name, fieldOf(asset, name)))
    .join(", ");
}

const fieldOf = (asset: PushedAsset, name: string): unknown => asset[name as keyof PushedAsset];

function describe(name: string, value: unknown): string {
  if (value === null || (Array.isArray(value) && value.length === 0)) return `no ${name}`;
  if (typeof value !== "string") return `${name} ${value}`;
  return `${name} "${escapeControls(value)}"`;
}

/** `svc asset`: push, list, show, review, publish. */
import { type ArgsDef, defineCommand } from "citty";
import { AssetsQuery } from "../../../src/assets/schema.ts";
import { escapeControls } from "../../../src/lib/display-text.ts";
import { type ApiArgs, remoteFlags, requireProject, serverUrl, withApi } from "../../api.ts";
import { type Schemas, unwrap } from "../../client/client.ts";
import {
  byFlag,
  CommandError,
  jsonFlag,
  printLine,
  reportErrors,
  splitList,
  UsageError,
} from "../../command.ts";
import { progress } from "../../output/progress.ts";
import { formatAge, formatCount, table } from "../../output/table.ts";
import { type Metadata, push } from "./push.ts";

/** Digits become a number. Other text is passed on, so that the service reports the allowed values. */
const numberOf = (text: string | undefined) =>
  text === undefined ? {} : /^\d+$/.test(text) ? Number(text) : (text as unknown as number);
const withoutUndefined = <T extends object>(fields: T): T =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;

const pushCommand = defineCommand({
  meta: { name: "push", description: "Upload files as assets; a second run uploads only missing files" },
  args: {
    file: { type: "positional", required: true, valueHint: "…", description: "One or more files" },
    project: { type: "string", required: true, description: "Project slug" },
    issue: { type: "string", description: "Issue number" },
    pr: { type: "string", description: "Pull request number" },
    title: { type: "string", description: "Title (default: the file name)" },
    description: { type: "string", description: "Description" },
    tags: { type: "string", description: "Comma-separated tags" },
    replaces: { type: "string", description: "ID of the asset that this file replaces; for a single file" },
    ...byFlag,
    ...jsonFlag,
    ...remoteFlags,
  },
  run: reportErrors(async ({ args }) => {
    const files = args._;
    if (files.length > 1 && (args.replaces || args.title))
      throw new UsageError("--replaces and --title need exactly one file.");
    const sizes = await Promise.all(
      files.map(async (path) => ((await Bun.file(path).exists()) ? Bun.file(path).size : null)),
    );
    const missing = sizes.indexOf(null);
    if (missing >= 0) throw new CommandError(`File not found: ${files[missing]}`);
    const { project, title, description, replaces, tags } = args;
    const numbers = { issue: args.issue && numberOf(args.issue), pr: args.pr && numberOf(args.pr) };
    const metadata = withoutUndefined({
      project,
      title,
      description,
      replaces,
      ...numbers,
      tags: tags === undefined ? undefined : splitList(tags),
      ...(serverUrl(args) && { by: args.by }),
    });
    const bar = progress(
      "Uploading",
      sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0),
    );
    await withApi(args, async (access) => {
      for (const path of files) {
        const asset = await push(access, path, metadata as Metadata, bar);
        const suffix = asset.skipped ? "  (already uploaded)" : "";
        await printLine(
          args.json
            ? JSON.stringify(asset)
            : `${asset.id}  version ${asset.version}  ${asset.kind}${suffix}  ${path}`,
        );
      }
    }).finally(bar.end);
  }),
});

/** One flag for each filter of the list. */
const filterFlags: ArgsDef = Object.fromEntries(
  Object.entries(AssetsQuery.properties).map(([name, schema]) => [
    name,
    { type: "string", description: schema.description ?? `Filter by ${name}` },
  ]),
);

const listCommand = defineCommand({
  meta: { name: "list", description: "List assets, pending first, then newest first" },
  args: { ...filterFlags, ...jsonFlag, ...remoteFlags },
  run: reportErrors(async ({ args }) => {
    const query = withoutUndefined(
      Object.fromEntries(
        Object.entries(AssetsQuery.properties).map(([name, schema]) => {
          const text = args[name] as string | undefined;
          return [name, schema.type === "integer" && text !== undefined ? numberOf(text) : text];
        }),
      ),
    );
    const page = await withApi(args as ApiArgs, async (access) => {
      const result = await unwrap(access.api.GET("/assets", { params: { query } }));
      const { project } = query;
      if (result.count === 0 && project !== undefined) await requireProject(access, project as string);
      return result;
    });
    const rows = page.assets.map((asset) => [
      asset.id,
      asset.status,
      asset.kind,
      `v${asset.version}`,
      formatCount(asset.size),
      formatAge(Date.now() - Date.parse(asset.created_at)),
      asset.project ?? "–",
      escapeControls(asset.title),
    ]);
    const lines = args.json
      ? page.assets.map((asset) => JSON.stringify(asset))
      : [table(["ID", "STATUS", "KIND", "VERSION", "SIZE", "CREATED", "PROJECT", "TITLE"], rows)];
    for (const line of lines) await printLine(line);
    if (page.next_cursor && !args.json) process.stderr.write(`Next page: --cursor ${page.next_cursor}\n`);
  }),
});

const idArg = {
  id: { type: "positional", required: true, description: "Asset ID" },
} as const satisfies ArgsDef;

const show = defineCommand({
  meta: { name: "show", description: "Show an asset with its versions and URLs" },
  args: { ...idArg, ...jsonFlag, ...remoteFlags },
  run: reportErrors(async ({ args }) => {
    const asset = await withApi(args, ({ api }) =>
      unwrap(api.GET("/assets/{id}", { params: { path: { id: args.id } } })),
    );
    await printLine(args.json ? JSON.stringify(asset) : formatAsset(asset));
  }),
});

function formatAsset(asset: Schemas["AssetDetail"]): string {
  const measures = [
    asset.width && `${asset.width}×${asset.height}`,
    asset.duration_ms !== null && `${asset.duration_ms} ms`,
  ]
    .filter(Boolean)
    .join(", ");
  const facts: [string, string | null | undefined][] = [
    ["project", asset.project],
    ["task", asset.task_url],
    ["type", `${asset.kind}, ${asset.mime}, ${formatCount(asset.size)} bytes${measures && `, ${measures}`}`],
    ["created", `${asset.created_at} by ${asset.created_by}`],
    [
      "review",
      asset.reviewed_by &&
        `${asset.reviewed_at} by ${asset.reviewed_by}${asset.review_note ? `: ${asset.review_note}` : ""}`,
    ],
    ["expires", asset.expires_at],
    ["sha256", asset.sha256],
    ["view", asset.url],
    ["page", asset.bundle_url],
    ["public", asset.public_url],
  ];
  const versions = asset.versions.map(
    ({ version, status, id, created_at, created_by }) =>
      `  v${version}  ${status.padEnd(10)}  ${id}  ${created_at}  ${escapeControls(created_by)}`,
  );
  const lines = facts.flatMap(([name, value]) =>
    value ? [`${name.padEnd(8)} ${escapeControls(value)}`] : [],
  );
  return [
    `${escapeControls(asset.title)}  version ${asset.version}, ${asset.status}`,
    ...lines,
    "",
    "Versions",
    ...versions,
  ].join("\n");
}

const review = defineCommand({
  meta: { name: "review", description: "Approve or reject an asset" },
  args: {
    ...idArg,
    decision: { type: "positional", required: true, description: "approved or rejected" },
    note: { type: "string", description: "Reason, required to reject; it becomes a decision of the project" },
    ...byFlag,
    ...jsonFlag,
    ...remoteFlags,
  },
  run: reportErrors(async ({ args }) => {
    const decision = { decision: args.decision as "approved" | "rejected" };
    const body = {
      ...decision,
      ...(args.note !== undefined && { note: args.note }),
      ...(serverUrl(args) && args.by && { by: args.by }),
    };
    const asset = await withApi(args, ({ api }) =>
      unwrap(api.PUT("/assets/{id}/review", { params: { path: { id: args.id } }, body })),
    );
    await printLine(args.json ? JSON.stringify(asset) : `${asset.id}  ${asset.status}`);
  }),
});

const publish = defineCommand({
  meta: { name: "publish", description: "Publish an approved asset and print its permanent URL" },
  args: { ...idArg, ...byFlag, ...jsonFlag, ...remoteFlags },
  run: reportErrors(async ({ args }) => {
    const asset = await withApi(args, ({ api }) =>
      unwrap(api.POST("/assets/{id}/publish", { params: { path: { id: args.id } } })),
    );
    await printLine(args.json ? JSON.stringify(asset) : (asset.public_url as string));
  }),
});

export default defineCommand({
  subCommands: { push: pushCommand, list: listCommand, show, review, publish },
});

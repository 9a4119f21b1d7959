/** `svc asset`: push, list, show, review, publish; here, or at a server with `--server`. */
import { type ArgsDef, defineCommand } from "citty";
import { AssetsQuery } from "../src/assets/schema.ts";
import { escapeControls } from "../src/lib/display-text.ts";
import { type ApiArgs, remoteFlags, requireProject, serverOf, withApi } from "./api.ts";
import { type Schemas, said } from "./client/client.ts";
import { byFlag, CommandError, jsonFlag, list, run, say, UsageError } from "./command.ts";
import { progress } from "./progress.ts";
import { type Metadata, push } from "./push.ts";
import { ago, short, table } from "./table.ts";

/** Digits become a number; what is none goes as it is, and the service says what it wants. */
const numberOf = (text: string | undefined) =>
  text === undefined ? {} : /^\d+$/.test(text) ? Number(text) : (text as unknown as number);
const given = <T extends object>(said: T): T =>
  Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined)) as T;

const pushCommand = defineCommand({
  meta: { name: "push", description: "Upload files as assets; running it again sends only what is missing" },
  args: {
    file: { type: "positional", required: true, valueHint: "…", description: "One or more files" },
    project: { type: "string", required: true, description: "Project" },
    issue: { type: "string", description: "Number of the issue" },
    pr: { type: "string", description: "Number of the pull request" },
    title: { type: "string", description: "Title; by default the file name" },
    description: { type: "string", description: "What it is" },
    tags: { type: "string", description: "Comma-separated" },
    replaces: { type: "string", description: "Id of the asset it supersedes; one file only" },
    ...byFlag,
    ...jsonFlag,
    ...remoteFlags,
  },
  run: run(async ({ args }) => {
    const files = args._;
    if (files.length > 1 && (args.replaces || args.title))
      throw new UsageError("--replaces and --title go with one file");
    const sizes = await Promise.all(
      files.map(async (path) => ((await Bun.file(path).exists()) ? Bun.file(path).size : null)),
    );
    const missing = sizes.indexOf(null);
    if (missing >= 0) throw new CommandError(`there is no file ${files[missing]}`);
    const { project, title, description, replaces, tags } = args;
    const numbers = { issue: args.issue && numberOf(args.issue), pr: args.pr && numberOf(args.pr) };
    const metadata = given({
      project,
      title,
      description,
      replaces,
      ...numbers,
      tags: tags === undefined ? undefined : list(tags),
      ...(serverOf(args) && { by: args.by }),
    });
    const bar = progress(
      "Sending",
      sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0),
    );
    await withApi(args, async (access) => {
      for (const path of files) {
        const asset = await push(access, path, metadata as Metadata, bar);
        await say(
          args.json
            ? JSON.stringify(asset)
            : `${asset.id}  version ${asset.version}  ${asset.kind}${asset.skipped ? "  (was there already)" : ""}  ${path}`,
        );
      }
    }).finally(bar.end);
  }),
});

/** The filters of the list are flags. */
const filterFlags: ArgsDef = Object.fromEntries(
  Object.entries(AssetsQuery.properties).map(([name, schema]) => [
    name,
    { type: "string", description: schema.description ?? `Only this ${name}` },
  ]),
);

const listCommand = defineCommand({
  meta: { name: "list", description: "List assets, pending first, then newest first" },
  args: { ...filterFlags, ...jsonFlag, ...remoteFlags },
  run: run(async ({ args }) => {
    const query = given(
      Object.fromEntries(
        Object.entries(AssetsQuery.properties).map(([name, schema]) => {
          const text = args[name] as string | undefined;
          return [name, schema.type === "integer" && text !== undefined ? numberOf(text) : text];
        }),
      ),
    );
    const page = await withApi(args as ApiArgs, async (access) => {
      const found = await said(access.api.GET("/assets", { params: { query } }));
      const { project } = query;
      if (found.count === 0 && project !== undefined) await requireProject(access, project as string);
      return found;
    });
    const rows = page.assets.map((one) => [
      one.id,
      one.status,
      one.kind,
      `v${one.version}`,
      short(one.size),
      ago(Date.now() - Date.parse(one.created_at)),
      one.project ?? "–",
      escapeControls(one.title),
    ]);
    const lines = args.json
      ? page.assets.map((one) => JSON.stringify(one))
      : [table(["ID", "STATUS", "KIND", "VERSION", "BYTES", "MADE", "PROJECT", "TITLE"], rows)];
    for (const line of lines) await say(line);
    if (page.next_cursor && !args.json) process.stderr.write(`More: --cursor ${page.next_cursor}\n`);
  }),
});

const idArg = {
  id: { type: "positional", required: true, description: "Id of the asset" },
} as const satisfies ArgsDef;

const show = defineCommand({
  meta: { name: "show", description: "Show one asset with its versions and addresses" },
  args: { ...idArg, ...jsonFlag, ...remoteFlags },
  run: run(async ({ args }) => {
    const asset = await withApi(args, ({ api }) =>
      said(api.GET("/assets/{id}", { params: { path: { id: args.id } } })),
    );
    await say(args.json ? JSON.stringify(asset) : inFull(asset));
  }),
});

function inFull(asset: Schemas["AssetDetail"]): string {
  const measures = [
    asset.width && `${asset.width}×${asset.height}`,
    asset.duration_ms !== null && `${asset.duration_ms} ms`,
  ]
    .filter(Boolean)
    .join(", ");
  const facts: [string, string | null | undefined][] = [
    ["project", asset.project],
    ["task", asset.task_url],
    ["type", `${asset.kind}, ${asset.mime}, ${short(asset.size)} bytes${measures && `, ${measures}`}`],
    ["made", `${asset.created_at} by ${asset.created_by}`],
    [
      "review",
      asset.reviewed_by &&
        `${asset.reviewed_at} by ${asset.reviewed_by}${asset.review_note ? `: ${asset.review_note}` : ""}`,
    ],
    ["kept", asset.expires_at && `until ${asset.expires_at}`],
    ["sha256", asset.sha256],
    ["view", asset.url],
    ["page", asset.bundle_url],
    ["public", asset.public_url],
  ];
  const versions = asset.versions.map(
    (one) =>
      `  v${one.version}  ${one.status.padEnd(10)}  ${one.id}  ${one.created_at}  ${escapeControls(one.created_by)}`,
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
  meta: { name: "review", description: "Approve an asset, or reject it with a note" },
  args: {
    ...idArg,
    decision: { type: "positional", required: true, description: "approved or rejected" },
    note: { type: "string", description: "Why; it becomes a decision of the project" },
    ...byFlag,
    ...jsonFlag,
    ...remoteFlags,
  },
  run: run(async ({ args }) => {
    const verdict = { decision: args.decision as "approved" | "rejected" };
    const body = {
      ...verdict,
      ...(args.note !== undefined && { note: args.note }),
      ...(serverOf(args) && args.by && { by: args.by }),
    };
    const asset = await withApi(args, ({ api }) =>
      said(api.PUT("/assets/{id}/review", { params: { path: { id: args.id } }, body })),
    );
    await say(args.json ? JSON.stringify(asset) : `${asset.id}  ${asset.status}`);
  }),
});

const publish = defineCommand({
  meta: { name: "publish", description: "Publish an approved asset; prints its permanent address" },
  args: { ...idArg, ...byFlag, ...jsonFlag, ...remoteFlags },
  run: run(async ({ args }) => {
    const asset = await withApi(args, ({ api }) =>
      said(api.POST("/assets/{id}/publish", { params: { path: { id: args.id } } })),
    );
    await say(args.json ? JSON.stringify(asset) : (asset.public_url as string));
  }),
});

export default defineCommand({
  subCommands: { push: pushCommand, list: listCommand, show, review, publish },
});

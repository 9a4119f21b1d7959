/** `svc share`: create, list, renew, revoke, log. */
import { defineCommand } from "citty";
import { escapeControls } from "../../../src/core/lib/strings/display-text.ts";
import { fromMicros } from "../../../src/core/lib/time.ts";
import { readRecipients } from "../../../src/library/shares/recipients.ts";
import { NewProjectShare, NewShare, ShareRenewal, SharesQuery } from "../../../src/library/shares/schema.ts";
import { apiFlags, withApi } from "../../api.ts";
import { type Api, type Schemas, unwrap } from "../../client/client.ts";
import { checkFlags, printJsonLines, printLine, repeatedFlag, textFlag } from "../../command.ts";
import { UsageError } from "../../command-errors.ts";
import { parseDuration } from "../../output/duration.ts";
import { note, reportChange } from "../../output/report.ts";
import { type Column, fittedTable } from "../../output/table.ts";

const minute = (ts: string): string => ts.slice(0, 16).replace("T", " ");

const lifetimeFlag = {
  for: textFlag("How long it works, such as 3d or 6w (default: 14d)", "time"),
  "expires-at": { type: "string", description: "Until when instead, in UTC", valueHint: "time" },
} as const;

/** The expiry that the flags state; undefined for the default. */
function expiryOf(given: {
  for?: string | undefined;
  "expires-at"?: string | undefined;
}): string | undefined {
  if (given.for === undefined) return given["expires-at"];
  if (given["expires-at"] !== undefined) throw new UsageError("Pass --for or --expires-at, not both.");
  return fromMicros(Date.now() * 1_000 + parseDuration("for", given.for));
}

type Flags = Record<string, unknown>;

function ofAsset(api: Api, flags: Flags): Promise<Schemas["CreatedShares"]> {
  const { id, ...body } = checkFlags(NewShare, flags);
  return unwrap(api.POST("/assets/{id}/shares", { params: { path: { id } }, body }));
}

function ofProject(api: Api, flags: Flags): Promise<Schemas["CreatedShares"]> {
  const { slug, ...body } = checkFlags(NewProjectShare, flags);
  return unwrap(api.POST("/projects/{slug}/shares", { params: { path: { slug } }, body }));
}

/** The URL, with its person if there are several, and beside it what became of the link. */
async function reportCreated(
  args: Parameters<typeof note>[0],
  { id, recipient, expires_at, url, mail_problem }: Schemas["CreatedShare"],
  isOneOfSeveral: boolean,
): Promise<void> {
  const person = escapeControls(recipient);
  if (url !== null) await printLine(isOneOfSeveral ? `${person}: ${url}` : url);
  if (mail_problem !== null) note(args, `Not mailed to ${person}: ${escapeControls(mail_problem)}`);
  const next = url === null ? "It was mailed." : "Copy it now; it won't be shown again.";
  note(args, `Created the link ${id} for ${person}, valid until ${minute(expires_at)} UTC. ${next}`);
}

const create = defineCommand({
  meta: {
    name: "create",
    description:
      "Create a link for people without a token: to an asset, or with --project to a queue or a set",
  },
  args: {
    id: { type: "positional", required: false, description: "Asset ID" },
    project: { type: "string", description: "Instead: to what waits for review in this project" },
    set: { type: "string", description: "With --project: to this variant set instead" },
    kind: { type: "string", description: "With --project: only assets of this kind" },
    tag: { type: "string", description: "With --project: only assets with this tag" },
    recipient: {
      type: "string",
      required: true,
      description: "Who it is for: a label, or people, as in 'Ana <ana@example.com>, Bo', with a link each",
    },
    rights: { type: "string", description: "view, comment or verdict (default: view)" },
    annotations: { type: "string", description: "own, or all: also those of your team (default: own)" },
    follows: { type: "string", description: "fixed: this version; latest: the newest (default: fixed)" },
    role: { type: "string", description: "Review role that its reviews count for" },
    ...lifetimeFlag,
    "passphrase-stdin": { type: "boolean", description: "Read a passphrase from standard input" },
    "allow-download": { type: "boolean", description: "Allow downloads" },
    ...apiFlags,
  },
  async run({ args, rawArgs }) {
    const passphrase = args["passphrase-stdin"] ? (await Bun.stdin.text()).trim() : undefined;
    if ((args.id === undefined) === (args.project === undefined))
      throw new UsageError("Name an asset, or pass --project for its review queue or one of its sets.");
    const { recipient, recipients } = readRecipients(repeatedFlag(rawArgs, "recipient").join(","));
    const about = { recipient, recipients, slug: args.project, passphrase, "expires-at": expiryOf(args) };
    const flags = { ...args, ...about };
    const { shares } = await withApi(args, ({ api }) =>
      args.project === undefined ? ofAsset(api, flags) : ofProject(api, flags),
    );
    for (const share of shares)
      if (args.json) await printLine(JSON.stringify(share));
      else await reportCreated(args, share, shares.length > 1);
  },
});

const columns: Column[] = [
  { head: "ID" },
  { head: "FOR", flexible: true },
  { head: "SHOWS", rank: 2 },
  { head: "RIGHTS" },
  { head: "STATE" },
  { head: "OPENED", rank: 3 },
  { head: "EXPIRES (UTC)", rank: 1 },
];

const toRow = (share: Schemas["Share"]): string[] => [
  share.id,
  escapeControls(share.recipient),
  share.asset_id ?? escapeControls(share.set ?? `queue of ${share.project}`),
  share.rights,
  share.state,
  String(share.views),
  minute(share.expires_at),
];

const listCommand = defineCommand({
  meta: { name: "list", description: "List share links, newest first" },
  args: {
    project: { type: "string", description: "Only links of this project" },
    asset: { type: "string", description: "Only links to this asset" },
    limit: { type: "string", description: "Maximum number of links (default 50)" },
    ...apiFlags,
  },
  async run({ args: { project, asset, limit, ...args } }) {
    const query = checkFlags(SharesQuery, { project, asset, limit });
    const { shares } = await withApi(args, ({ api }) => unwrap(api.GET("/shares", { params: { query } })));
    if (args.json) await printJsonLines(shares);
    else await printLine(fittedTable(columns, shares.map(toRow)));
  },
});

const idArg = { id: { type: "positional", required: true, description: "ID of a share link" } } as const;

const revoke = defineCommand({
  meta: { name: "revoke", description: "Revoke a share link, its sessions and its file URLs" },
  args: { ...idArg, ...apiFlags },
  async run({ args }) {
    const params = { path: { id: args.id } };
    const share = await withApi(args, ({ api }) => unwrap(api.POST("/shares/{id}/revoke", { params })));
    await reportChange(args, share, `Revoked the link for ${escapeControls(share.recipient)}.`);
  },
});

const renew = defineCommand({
  meta: { name: "renew", description: "Let a share link work for longer, also after it expired" },
  args: { ...idArg, ...lifetimeFlag, ...apiFlags },
  async run({ args }) {
    const { id, ...body } = checkFlags(ShareRenewal, { id: args.id, "expires-at": expiryOf(args) });
    const share = await withApi(args, ({ api }) =>
      unwrap(api.POST("/shares/{id}/renew", { params: { path: { id } }, body })),
    );
    const until = `${minute(share.expires_at)} UTC`;
    await reportChange(
      args,
      share,
      `Renewed the link for ${escapeControls(share.recipient)}, until ${until}.`,
    );
  },
});

const logColumns: Column[] = [
  { head: "TIME (UTC)" },
  { head: "ACTION" },
  { head: "TIMES", rank: 2 },
  { head: "NAME (NOT VERIFIED)", flexible: true },
  { head: "ASSET", rank: 3 },
  { head: "NETWORK", rank: 1 },
];

const log = defineCommand({
  meta: { name: "log", description: "Show what people with a link did, newest first" },
  args: { ...idArg, ...apiFlags },
  async run({ args }) {
    const params = { path: { id: args.id }, query: { limit: 200 } };
    const { entries } = await withApi(args, ({ api }) => unwrap(api.GET("/shares/{id}/log", { params })));
    if (args.json) await printJsonLines(entries);
    else {
      const rows = entries.map(({ at, action, count, name, asset_id, network }) => [
        ...[minute(at), action, String(count), escapeControls(name ?? "–"), asset_id ?? "–", network],
      ]);
      await printLine(fittedTable(logColumns, rows));
    }
  },
});

export default defineCommand({ subCommands: { create, list: listCommand, renew, revoke, log } });

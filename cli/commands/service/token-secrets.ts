/** `svc token rotate`, `activity` and `signing-secret`: replace secrets, and see what was done with them. */
import { defineCommand } from "citty";
import { replaceSigningSecret } from "../../../src/core/auth/secret.ts";
import { TokenPath } from "../../../src/core/auth/token-requests.ts";
import { escapeControls } from "../../../src/core/lib/strings/display-text.ts";
import { dayMicros, fromMicros, type Micros } from "../../../src/core/lib/time.ts";
import { rotateTokens } from "../../../src/feed/tokens.ts";
import { apiFlags, withApi } from "../../api.ts";
import { unwrap } from "../../client/client.ts";
import { actorFrom, checkFlags, dataDirFlag, printJsonLines, printLine } from "../../command.ts";
import { UsageError } from "../../command-errors.ts";
import { auditFailure, commandAct, configured, open, withAuditedContext } from "../../open.ts";
import { requireAgreement, yesFlag } from "../../output/agree.ts";
import { instantOf, parseDuration } from "../../output/duration.ts";
import { note, outputFlags, reportChange } from "../../output/report.ts";
import { fittedTable } from "../../output/table.ts";

const graceDaysMax = 7;

/** @throws UsageError for one that is too long */
function graceOf(text: string | undefined): Micros | null {
  const grace = text === undefined ? null : parseDuration("grace", text);
  if (grace !== null && grace > graceDaysMax * dayMicros)
    throw new UsageError(`--grace must be at most ${graceDaysMax}d.`);
  return grace;
}

export const rotate = defineCommand({
  meta: {
    name: "rotate",
    description: "Replace the secret of a token and print the new one; the old one stops working immediately",
  },
  args: {
    name: { type: "positional", required: false, description: "Token name" },
    all: { type: "boolean", description: "All tokens at once; prints a name and a secret a line" },
    grace: {
      type: "string",
      description: `Keep the old secret valid for this long, such as 30m; at most ${graceDaysMax}d`,
      valueHint: "time",
    },
    ...outputFlags,
    ...dataDirFlag,
  },
  async run({ args }) {
    const { name, all = false } = args;
    if (all === (name !== undefined)) throw new UsageError("Name a token, or pass --all.");
    const grace = graceOf(args.grace);
    const act = commandAct(actorFrom(undefined), "token rotate", name);
    const ctx = await open({ SVC_DATA_DIR: args["data-dir"] });
    const { rotated, until } = await auditFailure(ctx, act, () =>
      rotateTokens(ctx, name === undefined ? null : [name], grace, act),
    ).finally(() => ctx.close());
    const oldSecret =
      until === null ? "no longer works" : `is valid until ${fromMicros(until).slice(0, 16)}Z`;
    const subject = all ? `${rotated.length} tokens` : `token "${name}"`;
    note(
      args,
      `Rotated ${subject}. Copy the new one now; it won't be shown again. The old one ${oldSecret}.`,
    );
    for (const one of rotated)
      await printLine(args.json ? JSON.stringify(one) : all ? `${one.name} ${one.token}` : one.token);
  },
});

export const activity = defineCommand({
  meta: { name: "activity", description: "Sum up what was done with a token" },
  args: {
    name: { type: "positional", required: true, description: "Token name" },
    since: {
      type: "string",
      description: "Only since this time: an RFC 3339 timestamp, or a duration such as 7d",
      default: "7d",
      valueHint: "time",
    },
    ...apiFlags,
  },
  async run({ args }) {
    const { name } = checkFlags(TokenPath, args);
    const since = instantOf(args.since);
    const params = { path: { name }, query: { since } };
    const { activity: lines } = await withApi(args, ({ api }) =>
      unwrap(api.GET("/tokens/{name}/activity", { params })),
    );
    if (args.json) return printJsonLines(lines);
    const minute = (ts: string) => ts.slice(0, 16).replace("T", " ");
    const rows = lines.map(({ from, what, count, first, last }) =>
      [from === "audit" ? "request" : "event", what, String(count), minute(first), minute(last)].map(
        escapeControls,
      ),
    );
    await printLine(fittedTable(activityColumns, rows));
    note(args, `Each request: svc audit --token ${args.name} --since ${args.since}`);
  },
});

const activityColumns = [
  { head: "FROM", rank: 1 },
  { head: "WHAT", flexible: true as const },
  { head: "TIMES" },
  { head: "FIRST (UTC)", rank: 2 },
  { head: "LAST (UTC)" },
];

export const signingSecret = defineCommand({
  meta: {
    name: "signing-secret",
    description: "Replace the secret that signs URLs and links in mails; restart all servers then",
  },
  args: {
    grace: {
      type: "string",
      description: `Keep what the old secret signed valid for this long; at most ${graceDaysMax}d`,
      valueHint: "time",
    },
    ...yesFlag,
    ...outputFlags,
    ...dataDirFlag,
  },
  async run({ args }) {
    const grace = graceOf(args.grace);
    const flags = { SVC_DATA_DIR: args["data-dir"] };
    if (configured(flags).signingSecret)
      throw new UsageError("SVC_SIGNING_SECRET is set: change it there, and restart all servers.");
    const when = grace === null ? "" : ` after ${args.grace}`;
    await requireAgreement(
      args,
      [`Signed URLs of files and uploads, and links in mails that were sent, end${when}.`],
      "Replace the signing secret?",
    );
    const act = commandAct(actorFrom(undefined), "token signing-secret");
    await withAuditedContext(act, flags, (ctx) => replaceSigningSecret(ctx, grace));
    await reportChange(args, { rotated: true }, "Replaced the signing secret. Restart all servers now.");
  },
});

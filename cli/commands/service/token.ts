/** `svc token`: create, list, rotate, look at and revoke tokens, and replace the signing secret. */
import { defineCommand } from "citty";
import { listTokens } from "../../../src/core/auth/authentication.ts";
import { allRoles, allScopes, roleOf } from "../../../src/core/auth/scopes.ts";
import { OwnerChange, ReviewRoleChange } from "../../../src/core/auth/token.ts";
import { fromMicros, toMicros } from "../../../src/core/lib/time.ts";
import type { TokenRow } from "../../../src/core/rows.ts";
import { revokeToken, setReviewRole, setTokenOwner } from "../../../src/feed/tokens.ts";
import { actorFrom, checkFlags, dataDirFlag, printLine, reportErrors } from "../../command.ts";
import { createTokenFromFlags, requireReviewScope } from "../../create-token.ts";
import { commandAct, open, withAuditedContext } from "../../open.ts";
import { note, outputFlags, reportChange } from "../../output/report.ts";
import { fittedTable, formatAge } from "../../output/table.ts";
import { writeOutput } from "../../output/terminal.ts";
import { activity, rotate, signingSecret } from "./token-secrets.ts";

const ownerFlags = {
  owner: { type: "string", description: "Person whose work it does, see svc person", valueHint: "person" },
  team: { type: "string", description: "Their team (default: that of the owner)" },
} as const;

const create = defineCommand({
  meta: { name: "create", description: "Create a token and print it once; only its hash is stored" },
  args: {
    name: { type: "positional", description: "Token name, [a-z0-9._-]" },
    role: { type: "string", description: `Role: ${allRoles.join(", ")}` },
    scopes: {
      type: "string",
      description: `Instead of a role, comma-separated scopes: ${allScopes.join(", ")}`,
    },
    project: { type: "string", description: "Limit the token to these projects, comma-separated" },
    expires: {
      type: "string",
      description: "Expiry: an RFC 3339 timestamp, or a duration such as 30d",
    },
    "review-role": {
      type: "string",
      description: "What its reviews count for in a review policy, such as design (default: its role)",
      valueHint: "role",
    },
    ...ownerFlags,
    ...outputFlags,
    ...dataDirFlag,
  },
  run: reportErrors(async ({ args }) => {
    const act = commandAct(actorFrom(undefined), "token create", args.name ?? null);
    const flags = { SVC_DATA_DIR: args["data-dir"] };
    const { token, row, siteUrl } = await withAuditedContext(act, flags, async (ctx) => ({
      ...(await createTokenFromFlags(ctx, args)),
      siteUrl: ctx.config.siteUrl,
    }));
    const { name, projects, review_role, owner, team } = row;
    const inProjects = projects ? ` for project${projects.length > 1 ? "s" : ""} ${projects.join(", ")}` : "";
    const signIn =
      roleOf(row.scopes) === "reviewer"
        ? ` Sign in with it at ${siteUrl}/sign-in, or with a link: svc open --for ${name}.`
        : "";
    note(
      args,
      `Created token "${name}" (${describeAccess(row)})${inProjects}. ` +
        `Copy it now; it won't be shown again.${signIn}`,
    );
    await printLine(
      args.json
        ? JSON.stringify({ name, scopes: row.scopes, projects, review_role, owner, team, token })
        : token,
    );
  }),
});

/** The role of a token and its scopes. */
function describeAccess({
  scopes,
  review_role,
  ...token
}: Pick<TokenRow, "role" | "scopes" | "review_role">) {
  const role = token.role ?? roleOf(scopes);
  const reviews = review_role ? `; reviews as ${review_role}` : "";
  return `${role ? `role ${role}: ` : ""}${scopes.join(", ")}${reviews}`;
}

const list = defineCommand({
  meta: { name: "list", description: "List tokens, without their secrets" },
  args: { ...outputFlags, ...dataDirFlag },
  run: reportErrors(async ({ args }) => {
    const ctx = await open({ SVC_DATA_DIR: args["data-dir"] });
    const when = (at: number | null) => (at === null ? null : fromMicros(at));
    const tokens = (await listTokens(ctx)).map(({ hash: _, previous_hash: __, ...row }) => ({
      ...row,
      role: row.role ?? roleOf(row.scopes),
      created_at: fromMicros(row.created_at),
      expires_at: when(row.expires_at),
      revoked_at: when(row.revoked_at),
      last_used_at: when(row.last_used_at),
      previous_until: when(row.previous_until),
    }));
    const now = ctx.now();
    await ctx.close();
    const day = (at: string | null) => at?.slice(0, 10) ?? "–";
    const rows = tokens.map((token) => [
      token.name,
      (token.role ?? token.scopes.join(",")) + (token.review_role ? `, reviews as ${token.review_role}` : ""),
      token.projects?.join(",") ?? "all",
      [token.owner, token.team].filter(Boolean).join(", ") || "–",
      day(token.created_at),
      token.last_used_at === null
        ? "never"
        : formatAge(Math.max(0, (now - toMicros(token.last_used_at)) / 1_000)),
      day(token.expires_at),
      day(token.revoked_at),
    ]);
    const lines = args.json ? tokens.map((token) => JSON.stringify(token)) : [fittedTable(columns, rows)];
    for (const line of lines) writeOutput(`${line}\n`);
  }),
});

const columns = [
  { head: "NAME" },
  { head: "ROLE OR SCOPES", flexible: true as const },
  { head: "PROJECTS", rank: 2, flexible: true as const },
  { head: "OWNER", rank: 4, flexible: true as const },
  { head: "CREATED", rank: 3 },
  { head: "USED" },
  { head: "EXPIRES", rank: 1 },
  { head: "REVOKED" },
];

const reviewRole = defineCommand({
  meta: { name: "review-role", description: "Set what the reviews of a token count for" },
  args: {
    name: { type: "positional", required: true, description: "Token name" },
    role: { type: "positional", required: false, description: "Review role (default: the token's own role)" },
    ...outputFlags,
    ...dataDirFlag,
  },
  run: reportErrors(async ({ args }) => {
    const { name } = args;
    const given = checkFlags(ReviewRoleChange, { role: args.role });
    const review_role = given.role ?? null;
    const act = commandAct(actorFrom(undefined), "token review-role", name);
    await withAuditedContext(act, { SVC_DATA_DIR: args["data-dir"] }, async (ctx) => {
      const token = (await listTokens(ctx)).find((one) => one.name === name && one.revoked_at === null);
      if (token && review_role !== null) requireReviewScope(token.scopes);
      await setReviewRole(ctx, name, review_role);
    });
    const as = review_role ?? "its own role";
    await reportChange(args, { name, review_role }, `Reviews of the token "${name}" now count for ${as}.`);
  }),
});

const owner = defineCommand({
  meta: {
    name: "owner",
    description: "Set whose work a token does; without flags, that of no person or team",
  },
  args: {
    name: { type: "positional", required: true, description: "Token name" },
    ...ownerFlags,
    ...outputFlags,
    ...dataDirFlag,
  },
  run: reportErrors(async ({ args }) => {
    const { name } = args;
    const change = checkFlags(OwnerChange, { owner: args.owner, team: args.team });
    const act = commandAct(actorFrom(undefined), "token owner", name);
    await withAuditedContext(act, { SVC_DATA_DIR: args["data-dir"] }, (ctx) =>
      setTokenOwner(ctx, name, change),
    );
    await reportChange(
      args,
      { name, owner: null, team: null, ...change },
      `New work of the token "${name}" belongs to ${describeOwner(change)}.`,
    );
  }),
});

const describeOwner = ({ owner, team }: { owner?: string; team?: string }): string =>
  [owner, team && `the team ${team}`].filter(Boolean).join(" and ") || "no person or team";

const revoke = defineCommand({
  meta: { name: "revoke", description: "Revoke a token, effective immediately" },
  args: {
    name: { type: "positional", required: true, description: "Token name" },
    ...outputFlags,
    ...dataDirFlag,
  },
  run: reportErrors(async ({ args }) => {
    const act = commandAct(actorFrom(undefined), "token revoke", args.name);
    await withAuditedContext(act, { SVC_DATA_DIR: args["data-dir"] }, (ctx) => revokeToken(ctx, args.name));
    await reportChange(args, { name: args.name, revoked: true }, `Revoked token "${args.name}".`);
  }),
});

export default defineCommand({
  subCommands: {
    create,
    list,
    owner,
    "review-role": reviewRole,
    rotate,
    "signing-secret": signingSecret,
    activity,
    revoke,
  },
});

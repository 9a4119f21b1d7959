/** `svc token`: create, list, rotate, look at and revoke tokens, and replace the signing secret. */
import { defineCommand } from "citty";
import { allRoles, allScopes, roleOf } from "../../../src/core/auth/scopes.ts";
import { TokenOwnerInput, TokenPath, TokenReviewRoleInput } from "../../../src/core/auth/token-requests.ts";
import { escapeControls } from "../../../src/core/lib/strings/display-text.ts";
import type { TokenRow } from "../../../src/core/rows.ts";
import { apiFlags, withApi } from "../../api.ts";
import { type Schemas, unwrap } from "../../client/client.ts";
import { actorFrom, checkFlags, dataDirFlag, printJsonLines, printLine } from "../../command.ts";
import { createTokenFromFlags } from "../../create-token.ts";
import { commandAct, withAuditedContext } from "../../open.ts";
import { note, outputFlags, reportChange } from "../../output/report.ts";
import { fittedTable, formatAge } from "../../output/table.ts";
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
  async run({ args }) {
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
  },
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
  args: { ...apiFlags },
  async run({ args }) {
    const { tokens } = await withApi(args, ({ api }) => unwrap(api.GET("/tokens")));
    if (args.json) await printJsonLines(tokens);
    else await printLine(fittedTable(columns, tokens.map(toRow)));
  },
});

function toRow(token: Schemas["AccessToken"]): string[] {
  const day = (at: string | null) => at?.slice(0, 10) ?? "–";
  const used = token.last_used_at;
  return [
    token.name,
    (token.role ?? token.scopes.join(",")) + (token.review_role ? `, reviews as ${token.review_role}` : ""),
    token.projects?.join(",") ?? "all",
    [token.owner, token.team].filter(Boolean).join(", ") || "–",
    day(token.created_at),
    used === null ? "never" : formatAge(Math.max(0, Date.now() - Date.parse(used))),
    day(token.expires_at),
    day(token.revoked_at),
  ].map(escapeControls);
}

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
    ...apiFlags,
  },
  async run({ args }) {
    const { name, ...body } = checkFlags(TokenReviewRoleInput, args);
    await withApi(args, async ({ api, place }) => {
      const params = { path: { name } };
      const { review_role } = await unwrap(api.PUT("/tokens/{name}/review-role", { params, body }));
      const line = `Reviews of the token "${name}" now count for ${body.role ?? "its own role"} ${place}.`;
      await reportChange(args, { name, review_role }, line);
    });
  },
});

const owner = defineCommand({
  meta: {
    name: "owner",
    description: "Set whose work a token does; without flags, that of no person or team",
  },
  args: {
    name: { type: "positional", required: true, description: "Token name" },
    ...ownerFlags,
    ...apiFlags,
  },
  async run({ args }) {
    const { name, ...body } = checkFlags(TokenOwnerInput, args);
    await withApi(args, async ({ api, place }) => {
      const params = { path: { name } };
      const { owner, team } = await unwrap(api.PUT("/tokens/{name}/owner", { params, body }));
      const line = `New work of the token "${name}" belongs to ${describeOwner(body)} ${place}.`;
      await reportChange(args, { name, owner, team }, line);
    });
  },
});

const describeOwner = ({ owner, team }: { owner?: string; team?: string }): string =>
  [owner, team && `the team ${team}`].filter(Boolean).join(" and ") || "no person or team";

const revoke = defineCommand({
  meta: { name: "revoke", description: "Revoke a token, effective immediately" },
  args: {
    name: { type: "positional", required: true, description: "Token name" },
    ...apiFlags,
  },
  async run({ args }) {
    const { name } = checkFlags(TokenPath, args);
    await withApi(args, async ({ api, place }) => {
      await unwrap(api.POST("/tokens/{name}/revoke", { params: { path: { name } } }));
      await reportChange(args, { name, revoked: true }, `Revoked token "${name}" ${place}.`);
    });
  },
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

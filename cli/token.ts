/** `svc token`: create, list, revoke. */
import { defineCommand } from "citty";
import { allScopes, type Scope } from "../src/auth/scopes.ts";
import { hashToken, mintToken, TokenRequest } from "../src/auth/token.ts";
import { checkInput } from "../src/check.ts";
import { fromMicros, toMicros } from "../src/time.ts";
import { table } from "./columns.ts";
import { CommandError, dataDirFlag, jsonFlag, list, run } from "./command.ts";
import { duration } from "./duration.ts";
import { open } from "./open.ts";

const create = defineCommand({
  meta: { name: "create", description: "Mint a token; it is printed once and only its hash is kept" },
  args: {
    name: { type: "positional", description: "Name of the token, [a-z0-9._-]" },
    scopes: { type: "string", required: true, description: `Comma-separated: ${allScopes.join(", ")}` },
    project: { type: "string", description: "Only these projects, comma-separated" },
    expires: { type: "string", description: "When it ends: an RFC 3339 timestamp, or a length of time such as 30d" },
    ...dataDirFlag,
  },
  run: run(async ({ args }) => {
    const ctx = await open({ SVC_DATA_DIR: args["data-dir"] });
    const at = ctx.now();
    const expires_at =
      args.expires === undefined
        ? null
        : /^\d+[a-z]$/.test(args.expires)
          ? fromMicros(at + duration("expires", args.expires))
          : args.expires;
    const projects = args.project === undefined ? null : list(args.project);
    const request = new Map<string, unknown>(Object.entries({ name: args.name, scopes: list(args.scopes), projects, expires_at }));
    const { name, scopes } = checkInput(TokenRequest, request) as TokenRequest;
    for (const slug of projects ?? [])
      if (!(await ctx.data.project(null, slug))) throw new CommandError(`no project '${slug}'; link it first: svc project link`);
    const token = mintToken();
    const row = {
      name,
      hash: hashToken(token),
      scopes: scopes as Scope[],
      projects,
      created_at: at,
      expires_at: expires_at === null ? null : toMicros(expires_at),
    };
    const added = await ctx.data.atomically((writes) => writes.addToken(row));
    await ctx.close();
    if (!added) throw new CommandError(`the name '${name}' was used before; names are never given twice, choose another`);
    process.stderr.write(`Token ${name} may ${scopes.join(", ")}${projects ? ` in ${projects.join(", ")}` : ""}. It is shown this once.\n`);
    process.stdout.write(`${token}\n`);
  }),
});

const listTokens = defineCommand({
  meta: { name: "list", description: "List tokens; their text is not kept" },
  args: { ...jsonFlag, ...dataDirFlag },
  run: run(async ({ args }) => {
    const ctx = await open({ SVC_DATA_DIR: args["data-dir"] });
    const when = (at: number | null) => (at === null ? null : fromMicros(at));
    const tokens = (await ctx.data.tokens()).map(({ hash: _, ...row }) => ({
      ...row,
      created_at: fromMicros(row.created_at),
      expires_at: when(row.expires_at),
      revoked_at: when(row.revoked_at),
    }));
    await ctx.close();
    const day = (at: string | null) => at?.slice(0, 10) ?? "–";
    const rows = tokens.map((one) => [
      one.name,
      one.scopes.join(","),
      one.projects?.join(",") ?? "all",
      day(one.created_at),
      day(one.expires_at),
      day(one.revoked_at),
    ]);
    const lines = args.json
      ? tokens.map((token) => JSON.stringify(token))
      : [table(["NAME", "SCOPES", "PROJECTS", "CREATED", "EXPIRES", "REVOKED"], rows)];
    for (const line of lines) process.stdout.write(`${line}\n`);
  }),
});

const revoke = defineCommand({
  meta: { name: "revoke", description: "Revoke a token: its next request is refused" },
  args: { name: { type: "positional", required: true, description: "Name of the token" }, ...dataDirFlag },
  run: run(async ({ args }) => {
    const ctx = await open({ SVC_DATA_DIR: args["data-dir"] });
    const revoked = await ctx.data.atomically((writes) => writes.revokeToken(args.name, ctx.now()));
    await ctx.close();
    if (!revoked) throw new CommandError(`no valid token '${args.name}'; see svc token list`);
    process.stderr.write(`Token ${args.name} is revoked.\n`);
  }),
});

export default defineCommand({
  subCommands: { create, list: listTokens, revoke },
});

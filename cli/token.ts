/** `svc token`: create, list, rotate, revoke. */
import { defineCommand } from "citty";
import { allScopes, type Scope } from "../src/auth/scopes.ts";
import { generateToken, hashToken, TokenRequest } from "../src/auth/token.ts";
import { dayMicros, fromMicros, toMicros } from "../src/lib/time.ts";
import { checkInput } from "../src/lib/validate.ts";
import { CommandError, dataDirFlag, jsonFlag, list, run, UsageError, userOf } from "./command.ts";
import { duration } from "./duration.ts";
import { actAs, actOfUser, type Opened, open } from "./open.ts";
import { ago, table } from "./table.ts";

const create = defineCommand({
  meta: { name: "create", description: "Mint a token; it is printed once and only its hash is kept" },
  args: {
    name: { type: "positional", description: "Name of the token, [a-z0-9._-]" },
    scopes: { type: "string", required: true, description: `Comma-separated: ${allScopes.join(", ")}` },
    project: { type: "string", description: "Only these projects, comma-separated" },
    expires: {
      type: "string",
      description: "When it ends: an RFC 3339 timestamp, or a length of time such as 30d",
    },
    ...dataDirFlag,
  },
  run: run(async ({ args }) => {
    const act = actOfUser(userOf(undefined), "token create", args.name ?? null);
    const { token, row } = await actAs(act, { SVC_DATA_DIR: args["data-dir"] }, (ctx) =>
      createToken(ctx, args),
    );
    const { name, scopes, projects } = row;
    process.stderr.write(
      `Token ${name} may ${scopes.join(", ")}${projects ? ` in ${projects.join(", ")}` : ""}. It is shown this once.\n`,
    );
    process.stdout.write(`${token}\n`);
  }),
});

interface Wanted {
  name?: string | undefined;
  scopes: string;
  project?: string | undefined;
  expires?: string | undefined;
}

async function createToken(ctx: Opened, args: Wanted) {
  const at = ctx.now();
  const expires_at =
    args.expires === undefined
      ? null
      : /^\d+[a-z]$/.test(args.expires)
        ? fromMicros(at + duration("expires", args.expires))
        : args.expires;
  const projects = args.project === undefined ? null : list(args.project);
  const request = new Map<string, unknown>(
    Object.entries({ name: args.name, scopes: list(args.scopes), projects, expires_at }),
  );
  const { name, scopes } = checkInput(TokenRequest, request) as TokenRequest;
  for (const slug of projects ?? [])
    if (!(await ctx.data.project(null, slug)))
      throw new CommandError(`no project '${slug}'; link it first: svc project link`);
  const token = generateToken();
  const row = {
    name,
    hash: hashToken(token),
    scopes: scopes as Scope[],
    projects,
    created_at: at,
    expires_at: expires_at === null ? null : toMicros(expires_at),
  };
  await ctx.data.atomically(async (writes) => {
    if (!(await writes.addToken(row)))
      throw new CommandError(
        `the name '${name}' was used before; names are never given twice, choose another`,
      );
  });
  return { token, row };
}

const listTokens = defineCommand({
  meta: { name: "list", description: "List tokens; their text is not kept" },
  args: { ...jsonFlag, ...dataDirFlag },
  run: run(async ({ args }) => {
    const ctx = await open({ SVC_DATA_DIR: args["data-dir"] });
    const when = (at: number | null) => (at === null ? null : fromMicros(at));
    const tokens = (await ctx.data.tokens()).map(({ hash: _, previous_hash: __, ...row }) => ({
      ...row,
      created_at: fromMicros(row.created_at),
      expires_at: when(row.expires_at),
      revoked_at: when(row.revoked_at),
      last_used_at: when(row.last_used_at),
      previous_until: when(row.previous_until),
    }));
    const now = ctx.now();
    await ctx.close();
    const day = (at: string | null) => at?.slice(0, 10) ?? "–";
    const rows = tokens.map((one) => [
      one.name,
      one.scopes.join(","),
      one.projects?.join(",") ?? "all",
      day(one.created_at),
      one.last_used_at === null ? "never" : ago(Math.max(0, (now - toMicros(one.last_used_at)) / 1_000)),
      day(one.expires_at),
      day(one.revoked_at),
    ]);
    const lines = args.json
      ? tokens.map((token) => JSON.stringify(token))
      : [table(["NAME", "SCOPES", "PROJECTS", "CREATED", "USED", "EXPIRES", "REVOKED"], rows)];
    for (const line of lines) process.stdout.write(`${line}\n`);
  }),
});

const noToken = (name: string) => new CommandError(`no valid token '${name}'; see svc token list`);

const graceDaysMax = 7;

const rotate = defineCommand({
  meta: {
    name: "rotate",
    description: "Give a token another secret; it is printed once, and the one before is refused at once",
  },
  args: {
    name: { type: "positional", required: true, description: "Name of the token" },
    grace: {
      type: "string",
      description: `The one before holds that long, 30m say, at most ${graceDaysMax}d`,
      valueHint: "time",
    },
    ...dataDirFlag,
  },
  run: run(async ({ args }) => {
    const grace = args.grace === undefined ? null : duration("grace", args.grace);
    if (grace !== null && grace > graceDaysMax * dayMicros)
      throw new UsageError(`--grace is at most ${graceDaysMax}d`);
    const token = generateToken();
    const act = actOfUser(userOf(undefined), "token rotate", args.name);
    const until = await actAs(act, { SVC_DATA_DIR: args["data-dir"] }, async ({ data, now }) => {
      const at = now();
      const until = grace === null ? null : at + grace;
      await data.atomically(async (writes) => {
        if (!(await writes.rotateToken(args.name, hashToken(token), at, until))) throw noToken(args.name);
      });
      return until;
    });
    const before =
      until === null ? "is refused from now on" : `holds until ${fromMicros(until).slice(0, 16)}Z`;
    process.stderr.write(
      `Token ${args.name} has another secret, shown this once; the one before ${before}.\n`,
    );
    process.stdout.write(`${token}\n`);
  }),
});

const revoke = defineCommand({
  meta: { name: "revoke", description: "Revoke a token: its next request is refused" },
  args: { name: { type: "positional", required: true, description: "Name of the token" }, ...dataDirFlag },
  run: run(async ({ args }) => {
    const act = actOfUser(userOf(undefined), "token revoke", args.name);
    await actAs(act, { SVC_DATA_DIR: args["data-dir"] }, ({ data, now }) =>
      data.atomically(async (writes) => {
        if (!(await writes.revokeToken(args.name, now()))) throw noToken(args.name);
      }),
    );
    process.stderr.write(`Token ${args.name} is revoked.\n`);
  }),
});

export default defineCommand({
  subCommands: { create, list: listTokens, rotate, revoke },
});

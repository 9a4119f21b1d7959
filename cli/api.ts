/** One way for commands: the typed client. With `--url` it speaks to a server, without to the same service in this process. */
import { randomUUID } from "node:crypto";
import { operator } from "../src/auth/caller.ts";
import { hashToken } from "../src/auth/token.ts";
import type { Environment } from "../src/config.ts";
import { type Api, connect } from "./client/client.ts";
import { CommandError, userOf } from "./command.ts";

export const remoteFlags = {
  url: {
    type: "string",
    description: "Address of a server, instead of the database of this machine; SVC_TOKEN is sent",
    valueHint: "site",
  },
  "data-dir": { type: "string", description: "Folder of the database (SVC_DATA_DIR)", valueHint: "folder" },
} as const;

export interface ApiAccess {
  api: Api;
  /** Calls an address that the API gave: bytes that go up or down. */
  fetch(url: string, init: RequestInit): Promise<Response>;
  close(): Promise<void>;
}

/** Opens the API for the body of a command, and closes it whatever happens. */
export async function withApi<T>(args: ApiArgs, work: (access: ApiAccess) => Promise<T>): Promise<T> {
  const access = await openApi(args);
  try {
    return await work(access);
  } finally {
    await access.close();
  }
}

export interface ApiArgs {
  url?: string | undefined;
  "data-dir"?: string | undefined;
  by?: string | undefined;
}

async function openApi(args: ApiArgs): Promise<ApiAccess> {
  return args.url === undefined ? openHere(args) : openThere(args.url);
}

export function openThere(url: string): ApiAccess {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) throw new CommandError("--url takes an http or https address");
  const call = (request: Request | string, init?: RequestInit) =>
    fetch(request, init).catch((error: Error) => {
      throw new CommandError(`${new URL(url).host} does not answer (${error.message})`);
    });
  return { api: connect({ url, token: process.env.SVC_TOKEN, fetch: call }), fetch: call, close: async () => {} };
}

/** Whoever holds the database is the operator, and acts as the user of this machine: a token of this process says so. */
async function openHere(args: ApiArgs): Promise<ApiAccess> {
  const [{ open }, { buildApp }] = await Promise.all([import("./open.ts"), import("../src/app.ts")]);
  const env: Environment = { SVC_DATA_DIR: args["data-dir"] };
  const ctx = await open(env);
  const token = randomUUID();
  const tokens = new Map([[hashToken(token), { ...operator, actor: userOf(args.by), came: { via: "cli" as const } }]]);
  const handle = buildApp({ ...ctx, config: { ...ctx.config, tokens, rateLimit: null } });
  const { siteUrl } = ctx.config;
  return {
    api: connect({ url: siteUrl, token, fetch: (request) => handle(request, null) }),
    // A store may have addresses of its own; ours are answered here.
    fetch: (url, init) => (url.startsWith(ctx.config.contentUrl) ? handle(new Request(url, init), null) : fetch(url, init)),
    close: () => ctx.close(),
  };
}

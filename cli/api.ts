/**
 * One way for commands: the typed client. With `--server` it speaks to a server, without to the same service
 * in this process.
 */
import { randomUUID } from "node:crypto";
import type { ArgsDef } from "citty";
import { adminCaller } from "../src/auth/caller.ts";
import { hashToken } from "../src/auth/token.ts";
import type { Environment } from "../src/config.ts";
import { type Api, ApiError, connect, said } from "./client/client.ts";
import { CommandError, dataDirFlag, userOf } from "./command.ts";

/** Of a command whose `--url` is a field of its own. */
export const serverFlags = {
  server: {
    type: "string",
    description: "URL of a server, instead of the database of this machine (SVC_URL); SVC_TOKEN is sent",
    valueHint: "url",
  },
  ...dataDirFlag,
} as const satisfies ArgsDef;

export const remoteFlags = {
  ...serverFlags,
  url: { type: "string", description: "Deprecated: the same as --server", valueHint: "url" },
} as const satisfies ArgsDef;

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
  server?: string | undefined;
  /** The deprecated spelling of `server`. */
  url?: string | undefined;
  "data-dir"?: string | undefined;
  by?: string | undefined;
}

/**
 * The server that a command speaks to; undefined where it uses the database of this machine. A flag wins over
 * SVC_URL.
 */
export const serverOf = ({ server, url, "data-dir": dataDir }: ApiArgs): string | undefined =>
  server ?? url ?? (dataDir === undefined ? process.env.SVC_URL?.trim() || undefined : undefined);

async function openApi(args: ApiArgs): Promise<ApiAccess> {
  const server = serverOf(args);
  return server === undefined ? openHere(args) : openThere(server, args);
}

export function openThere(server: string, { url }: ApiArgs = {}): ApiAccess {
  if (url !== undefined) process.stderr.write("svc: --url is deprecated here; use --server\n");
  if (!/^https?:\/\//.test(server) || !URL.canParse(server))
    throw new CommandError("--server (SVC_URL) takes an http or https URL");
  const call = async (request: Request | string, init?: RequestInit) => {
    const response = await fetch(request, { ...init, redirect: "manual" }).catch((error: Error) => {
      throw new CommandError(`${new URL(server).host} does not answer (${error.message})`);
    });
    requireNoRedirect(response, typeof request === "string" ? request : request.url, server);
    return response;
  };
  return {
    api: connect({ url: server, token: process.env.SVC_TOKEN, fetch: call }),
    fetch: call,
    close: async () => {},
  };
}

/** A redirect that is followed may turn a POST into a GET, and leaves the token behind. */
function requireNoRedirect({ status, headers }: Response, requested: string, server: string): void {
  const location = headers.get("location");
  if (
    status < 300 ||
    status > 399 ||
    location === null ||
    new URL(requested).origin !== new URL(server).origin
  )
    return;
  const origin = URL.parse(location, server)?.origin ?? location;
  throw new CommandError(`${new URL(server).host} redirects to ${origin}; give that as --server or SVC_URL`);
}

/**
 * One line and exit code 1 where there is no such project; a token that may not read projects is told so by
 * the call itself.
 */
export async function requireProject({ api }: Pick<ApiAccess, "api">, slug: string): Promise<void> {
  await said(api.GET("/projects/{slug}", { params: { path: { slug } } })).catch((error) => {
    if (!(error instanceof ApiError) || error.status === 404) throw error;
  });
}

/**
 * Whoever holds the database is the operator, and acts as the user of this machine: a token of this process
 * says so.
 */
async function openHere(args: ApiArgs): Promise<ApiAccess> {
  const [{ open }, { buildApp }] = await Promise.all([import("./open.ts"), import("../src/app.ts")]);
  const env: Environment = { SVC_DATA_DIR: args["data-dir"] };
  const ctx = await open(env);
  const token = randomUUID();
  const tokens = new Map([
    [hashToken(token), { ...adminCaller, actor: userOf(args.by), source: { via: "cli" as const } }],
  ]);
  const handle = buildApp({ ...ctx, config: { ...ctx.config, tokens, rateLimit: null } });
  const { siteUrl } = ctx.config;
  return {
    api: connect({ url: siteUrl, token, fetch: (request) => handle(request, null) }),
    // A store may have addresses of its own; ours are answered here.
    fetch: (url, init) =>
      url.startsWith(ctx.config.contentUrl) ? handle(new Request(url, init), null) : fetch(url, init),
    close: () => ctx.close(),
  };
}

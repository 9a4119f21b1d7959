/**
 * How commands call the API: through the typed client. With `--server` it calls a server over HTTP, without
 * it calls the service in this process.
 */
import { randomUUID } from "node:crypto";
import type { ArgsDef } from "citty";
import { adminCaller } from "../src/auth/caller.ts";
import { hashToken } from "../src/auth/token.ts";
import type { Environment } from "../src/config.ts";
import { type Api, ApiError, connect, unwrap } from "./client/client.ts";
import { actorFrom, CommandError, dataDirFlag } from "./command.ts";

/** For a command that has a `--url` flag with another meaning. */
export const serverFlags = {
  server: {
    type: "string",
    description:
      "Call this server, with the token in SVC_TOKEN, instead of using the local database (SVC_URL)",
    valueHint: "url",
  },
  ...dataDirFlag,
} as const satisfies ArgsDef;

export const remoteFlags = {
  ...serverFlags,
  url: { type: "string", description: "Deprecated: use --server", valueHint: "url" },
} as const satisfies ArgsDef;

export interface ApiAccess {
  api: Api;
  /** Fetches a URL that the API returned: an upload or a download. */
  fetch(url: string, init: RequestInit): Promise<Response>;
  close(): Promise<void>;
}

/** Opens the API, runs `work`, and closes the API, also after an error. */
export async function withApi<T>(args: ApiArgs, work: (access: ApiAccess) => Promise<T>): Promise<T> {
  const access = await openAccess(args);
  try {
    return await work(access);
  } finally {
    await access.close();
  }
}

export interface ApiArgs {
  server?: string | undefined;
  /** The deprecated name of `server`. */
  url?: string | undefined;
  "data-dir"?: string | undefined;
  by?: string | undefined;
}

/**
 * The URL of the server to call, or undefined to use the local database. A flag, `--data-dir` included,
 * overrides SVC_URL.
 */
export const serverUrl = ({ server, url, "data-dir": dataDir }: ApiArgs): string | undefined =>
  server ?? url ?? (dataDir === undefined ? process.env.SVC_URL?.trim() || undefined : undefined);

async function openAccess(args: ApiArgs): Promise<ApiAccess> {
  const server = serverUrl(args);
  return server === undefined ? openLocal(args) : openRemote(server, args);
}

export function openRemote(server: string, { url }: ApiArgs = {}): ApiAccess {
  if (url !== undefined) process.stderr.write("svc: --url is deprecated. Use --server instead.\n");
  if (!/^https?:\/\//.test(server) || !URL.canParse(server))
    throw new CommandError("--server (SVC_URL) must be an http or https URL.");
  const call = async (request: Request | string, init?: RequestInit) => {
    const response = await fetch(request, { ...init, redirect: "manual" }).catch((error: Error) => {
      throw new CommandError(
        `Cannot connect to ${new URL(server).host} (${error.message}). Check --server or SVC_URL.`,
      );
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

/** Rejects a redirect: following it can turn a POST into a GET, and drops the token. */
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
  throw new CommandError(
    `${new URL(server).host} redirects to ${origin}. Use that URL for --server or SVC_URL.`,
  );
}

/**
 * Throws if the project does not exist. A token without the scope to read projects passes: the call that
 * follows reports what it lacks.
 */
export async function requireProject({ api }: Pick<ApiAccess, "api">, slug: string): Promise<void> {
  await unwrap(api.GET("/projects/{slug}", { params: { path: { slug } } })).catch((error) => {
    if (!(error instanceof ApiError) || error.status === 404) throw error;
  });
}

/**
 * Calls the service in this process. Access to the database is admin access: a token that exists only in this
 * process carries it, and the actor is the user that runs the command.
 */
async function openLocal(args: ApiArgs): Promise<ApiAccess> {
  const [{ open }, { buildApp }] = await Promise.all([import("./open.ts"), import("../src/app.ts")]);
  const env: Environment = { SVC_DATA_DIR: args["data-dir"] };
  const ctx = await open(env);
  const token = randomUUID();
  const tokens = new Map([
    [hashToken(token), { ...adminCaller, actor: actorFrom(args.by), source: { via: "cli" as const } }],
  ]);
  const handle = buildApp({ ...ctx, config: { ...ctx.config, tokens, rateLimit: null } });
  const { siteUrl } = ctx.config;
  return {
    api: connect({ url: siteUrl, token, fetch: (request) => handle(request, null) }),
    // A bucket has URLs of its own; URLs of this service are handled in process.
    fetch: (url, init) =>
      url.startsWith(ctx.config.contentUrl) ? handle(new Request(url, init), null) : fetch(url, init),
    close: () => ctx.close(),
  };
}

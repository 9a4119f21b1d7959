/**
 * How commands call the API: through the typed client. It calls a server over HTTP, or the service in this
 * process on a local database.
 */
import type { ArgsDef } from "citty";
import { adminCaller } from "../src/core/auth/caller.ts";
import { hashToken } from "../src/core/auth/token.ts";
import type { Environment } from "../src/core/config.ts";
import { type Api, ApiError, connect, unwrap } from "./client/client.ts";
import { actorFrom, dataDirFlag } from "./command.ts";
import { CommandError, UsageError } from "./command-errors.ts";
import {
  databaseName,
  normalizeUrl,
  type ServerTarget,
  serverTarget,
  type TargetArgs,
} from "./login/target.ts";
import type { OpenOptions } from "./open.ts";
import { outputFlags } from "./output/report.ts";

export const remoteFlags = {
  server: {
    type: "string",
    description: "Use this server (SVC_URL, or svc login), with the token in SVC_TOKEN or of the login",
    valueHint: "url",
  },
  ...dataDirFlag,
} as const satisfies ArgsDef;

/** Flags of a command that calls the API. */
export const apiFlags = { ...outputFlags, ...remoteFlags } as const satisfies ArgsDef;

export interface ApiAccess {
  api: Api;
  /** Fetches a URL that the API returned: an upload or a download. */
  fetch(url: string, init: RequestInit): Promise<Response>;
  /** Names the server or the database in a sentence: `on https://svc.test`, `in svc.db`. */
  place: string;
  /** The URL of the website. */
  siteUrl: string;
  /** It is a server, not a database on this machine. */
  isRemote: boolean;
  token: string | undefined;
  /** The path of the database file, if opening it created it. */
  createdFile: string | null;
  close(): Promise<void>;
}

/** Opens the API, runs `work`, and closes the API, also after an error. */
export async function withApi<T>(
  args: ApiArgs,
  work: (access: ApiAccess) => Promise<T>,
  options: Pick<OpenOptions, "create"> = {},
): Promise<T> {
  const access = await openApi(args, options);
  try {
    return await work(access);
  } finally {
    await access.close();
  }
}

/** Opens the API of the chosen server or database. */
export async function openApi(args: ApiArgs, options: Pick<OpenOptions, "create"> = {}): Promise<ApiAccess> {
  const target = serverTarget(args);
  return target ? openRemote(target) : openLocal(args, options);
}

export interface ApiArgs extends TargetArgs {
  by?: string | undefined;
}

/** The `by` of a request: a server takes it from the command, the local service from the user. */
export const byField = (args: ApiArgs): { by?: string } =>
  args.by !== undefined && serverTarget(args) ? { by: args.by } : {};

/** A client of a server. @throws UsageError for a URL that is not http or https */
export function openRemote({ url, source, token }: ServerTarget): ApiAccess {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    throw new UsageError("--server (SVC_URL) must be an http or https URL.");
  const server = normalizeUrl(url);
  const origin = source === "login" ? "Run svc login again for another URL." : "Check --server or SVC_URL.";
  const call = async (request: Request | string, init?: RequestInit) => {
    const requested = typeof request === "string" ? request : request.url;
    const { host } = new URL(requested);
    const response = await fetch(request, { ...init, redirect: "manual" }).catch((error: Error) => {
      const hint = host === new URL(server).host ? ` ${origin}` : "";
      throw new CommandError(`Cannot connect to ${host} (${error.message}).${hint}`);
    });
    requireNoRedirect(response, requested, server);
    if (requested.startsWith(`${server}/api/v1/`)) {
      requireService(response, server, origin);
      if (response.status === 401 && token === undefined)
        throw new CommandError(`${server} requires a token. Run svc login ${server}, or set SVC_TOKEN.`);
    }
    return response;
  };
  return {
    api: connect({ url: server, token, fetch: call }),
    fetch: call,
    place: `on ${server}`,
    siteUrl: server,
    isRemote: true,
    token,
    createdFile: null,
    close: async () => {},
  };
}

/** Rejects the page of something else, such as a proxy or another website. */
function requireService({ headers, status }: Response, server: string, hint: string): void {
  const type = headers.get("content-type") ?? "no content";
  if (/^(application\/(problem\+)?json|text\/event-stream)\b/.test(type)) return;
  throw new CommandError(`${server} does not answer as an svc server (status ${status}, ${type}). ${hint}`);
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
async function openLocal(args: ApiArgs, options: Pick<OpenOptions, "create">): Promise<ApiAccess> {
  const [{ open }, { buildApp }] = await Promise.all([import("./open.ts"), import("../src/web/app.ts")]);
  const env: Environment = { SVC_DATA_DIR: args["data-dir"] };
  const ctx = await open(env, { advice: "server", ...options });
  const token = crypto.randomUUID();
  const tokens = new Map([
    [hashToken(token), { ...adminCaller, actor: actorFrom(args.by), source: { via: "cli" as const } }],
  ]);
  const handle = buildApp({ ...ctx, config: { ...ctx.config, tokens, rateLimit: null } });
  const { siteUrl, databaseUrl } = ctx.config;
  return {
    siteUrl,
    isRemote: false,
    token,
    createdFile: ctx.createdFile,
    place: `in ${databaseName(databaseUrl)}`,
    api: connect({ url: siteUrl, token, fetch: (request) => handle(request, null) }),
    // A bucket has URLs of its own; URLs of this service are handled in process.
    fetch: (url, init) =>
      url.startsWith(ctx.config.contentUrl) || url.startsWith(siteUrl)
        ? handle(new Request(url, init), null)
        : fetch(url, init),
    close: () => ctx.close(),
  };
}

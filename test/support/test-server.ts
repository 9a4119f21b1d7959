/** A running server for the page tests: one project, and a token with every scope. */
import { allScopes, type Scope } from "../../src/core/auth/scopes.ts";
import { generateToken, hashToken } from "../../src/core/auth/token.ts";
import type { Environment } from "../../src/core/config.ts";
import { type Dialect, migratedDatabase, must, type Server, startServer, writeTo } from "./harness.ts";
import { openPlace, type StorePlace } from "./library.ts";

export interface TestServer extends AsyncDisposable {
  /** Environment for other programs that use the same database and stores. */
  env: Environment;
  server: Server;
  /** The token of `ana`, with every scope. */
  token: string;
  /** Origins other than the site that pages may upload to. */
  otherOrigins: string[];
  mint(name: string, scopes: readonly Scope[]): Promise<string>;
  /** Calls the API with `token`. Throws if the response is not 2xx. */
  api<T>(method: string, path: string, body?: unknown): Promise<T>;
  upload(name: string, bytes: Uint8Array | string, fields?: Record<string, string>): Promise<{ id: string }>;
  /** The cookie of one session of `ana`, so that not every test has to sign in. */
  session(): Promise<Cookie[]>;
  /** Restarts the server on the same port. */
  restart(): Promise<void>;
}

export interface Cookie {
  name: string;
  value: string;
  url: string;
}

/** Fetches the sign-in form. @returns its CSRF token and the matching cookie */
export async function openSignInForm(site: string): Promise<{ cookie: string; csrf: string }> {
  const page = await fetch(`${site}/sign-in`);
  const cookie = page.headers.get("set-cookie")?.split(";")[0] ?? "";
  return { cookie, csrf: /name="csrf" value="([^"]+)"/.exec(await page.text())?.[1] ?? "" };
}

/** Signs in through the form, as a browser does. @returns the session cookie */
export async function openSession(site: string, token: string): Promise<Cookie[]> {
  const { cookie, csrf } = await openSignInForm(site);
  const body = new URLSearchParams({ csrf, token });
  const response = await fetch(`${site}/sign-in`, {
    method: "POST",
    body,
    headers: { origin: site, cookie },
    redirect: "manual",
  });
  const [, name, value] = /^([^=]+)=([^;]+)/.exec(response.headers.get("set-cookie") ?? "") ?? [];
  return [{ name: must(name), value: must(value), url: site }];
}

/** Starts a server with the project `atlas`. */
export async function openTestServer(
  dialect: Dialect = "sqlite",
  place: StorePlace = "disk",
  extra: Environment = {},
  port = 0,
): Promise<TestServer> {
  const stack = new AsyncDisposableStack();
  const database = stack.use(await migratedDatabase(dialect));
  const opened = stack.use(await openPlace(place));
  const env = { ...opened.env, ...extra, SVC_DATABASE_URL: database.url };
  const mint = async (name: string, scopes: readonly Scope[]) => {
    const token = generateToken();
    const row = { name, hash: hashToken(token), scopes: [...scopes], projects: null, expires_at: null };
    await writeTo(database.url, (data, now) =>
      data.atomically((writes) => writes.addToken({ ...row, created_at: now })),
    );
    return token;
  };
  await writeTo(database.url, (data, now) =>
    data.atomically((writes) => writes.linkProject({ slug: "atlas", repo: "acme/atlas" }, now)),
  );
  const token = await mint("ana", allScopes);
  let cookies: Promise<Cookie[]> | undefined;
  let server = await startServer(database, env, ["--port", String(port)]);
  stack.defer(() => server.close());
  const send = async <T>(method: string, path: string, init: RequestInit): Promise<T> => {
    const headers = { ...(init.headers as Record<string, string>), authorization: `Bearer ${token}` };
    const response = await fetch(`${server.origin}/api/v1${path}`, { ...init, method, headers });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  };
  return {
    ...{ env, token, mint },
    get server() {
      return server;
    },
    otherOrigins: place === "bucket" ? [new URL(must(opened.env.S3_ENDPOINT)).origin] : [],
    api: (method, path, body) =>
      send(
        method,
        path,
        body === undefined
          ? {}
          : { body: JSON.stringify(body), headers: { "content-type": "application/json" } },
      ),
    upload(name, bytes, fields = {}) {
      const form = new FormData();
      for (const [field, value] of Object.entries({ project: "atlas", ...fields })) form.append(field, value);
      form.append("file", new File([bytes as BlobPart], name));
      return send("POST", "/assets", { body: form });
    },
    session: () => (cookies ??= openSession(server.origin, token)),
    async restart() {
      const { port } = new URL(server.origin);
      await server.terminate();
      server = await startServer(database, env, ["--port", port]);
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

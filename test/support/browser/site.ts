/** The pages of an app without a browser: its forms and sessions. */
import { must, type TestApp } from "../harness.ts";

export const site = "http://svc.test";

export interface Session {
  cookie: string;
  csrf: string;
  setCookie: string;
}

const csrfOf = (html: string): string => must(/name="csrf" value="([^"]+)"/.exec(html)?.[1]);

/** Posts a form as a browser sends it from one of our pages. */
export const post = (
  app: TestApp,
  path: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
  address?: string,
) =>
  app.ask(path, {
    method: "POST",
    body: new URLSearchParams(fields),
    headers: { origin: site, "content-type": "application/x-www-form-urlencoded", ...headers },
    ...(address && { address }),
  });

/** Fetches the sign-in form as a browser without a session. */
export async function askForm(app: TestApp): Promise<Pick<Session, "cookie" | "csrf">> {
  const response = await app.ask("/sign-in");
  return {
    cookie: must(response.headers.get("set-cookie")?.split(";")[0]),
    csrf: csrfOf(await response.text()),
  };
}

export async function signIn(
  app: TestApp,
  token: string,
  next = "",
): Promise<Session & { response: Response }> {
  const form = await askForm(app);
  const path = `/sign-in${next && `?next=${encodeURIComponent(next)}`}`;
  const response = await post(app, path, { csrf: form.csrf, token }, { cookie: form.cookie });
  const setCookie = response.headers.get("set-cookie") ?? "";
  const cookie = setCookie.split(";")[0] ?? "";
  const page = await (await app.ask("/methodology", { headers: { cookie } })).text();
  return { response, cookie, setCookie, csrf: csrfOf(page) };
}

export const nothing = { project: null, target: null, address: null, request: null };

export const page = (app: TestApp, path: string, cookie = "") =>
  app.ask(path, { headers: { cookie, accept: "text/html" } });

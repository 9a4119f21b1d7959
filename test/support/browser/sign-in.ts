/** The sign-in form, filled and sent without a browser. */
import { must, type TestApp, type TestRequest } from "../harness.ts";

const site = "http://svc.test";
const urlencoded = "application/x-www-form-urlencoded";

export interface Form {
  cookie: string;
  csrf: string;
}

export const cookieOf = (response: Response): string =>
  must(response.headers.get("set-cookie")?.split(";")[0]);
export const csrfOf = (html: string): string => must(/name="csrf" value="([^"]+)"/.exec(html)?.[1]);

/** Loads the sign-in form as a browser does. */
export async function loadForm(app: TestApp, cookie = ""): Promise<Form> {
  const response = await app.ask("/sign-in", { headers: { cookie, accept: "text/html" } });
  return {
    cookie: response.headers.has("set-cookie") ? cookieOf(response) : cookie,
    csrf: csrfOf(await response.text()),
  };
}

export const post = (
  app: TestApp,
  path: string,
  { cookie, csrf }: Form,
  fields: Record<string, string> = {},
  more: TestRequest = {},
) =>
  app.ask(path, {
    ...{ method: "POST", body: new URLSearchParams({ csrf, ...fields }), ...more },
    headers: {
      origin: site,
      "content-type": urlencoded,
      cookie,
      accept: "text/html",
      ...(more.headers as Record<string, string>),
    },
  });

export const secretOf = (link: string): string => must(new URL(link).searchParams.get("link"));

/** Opens a sign-in link as a browser does. */
export async function openLink(app: TestApp, link: string, cookie = "") {
  const response = await app.ask(link.slice(site.length), { headers: { accept: "text/html", cookie } });
  const text = await response.text();
  return {
    status: response.status,
    text,
    cookie: response.headers.has("set-cookie") ? cookieOf(response) : cookie,
    csrf: /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? "",
  };
}

/** Presses the button of the page of a sign-in link. */
export const press = (app: TestApp, form: Form, secret: string, more: TestRequest = {}) =>
  post(app, "/sign-in?next=%2Fprojects", form, { link: secret }, more);

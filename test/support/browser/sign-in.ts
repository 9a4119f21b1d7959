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

/** The cookies of a browser, for an app in this process. */
import type { TestApp, TestRequest } from "../app.ts";

export interface CookieJar {
  ask(path: string, init?: TestRequest): Promise<Response>;
  /** Sends a form with the CSRF token of a page. */
  submit(page: string, action: string, fields?: Record<string, string>): Promise<Response>;
  /** As they are sent. */
  readonly cookies: Map<string, string>;
}

export function openCookieJar(app: TestApp, cookies = new Map<string, string>()): CookieJar {
  async function ask(path: string, init: TestRequest = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set("accept", "text/html");
    headers.set("cookie", [...cookies].map((pair) => pair.join("=")).join("; "));
    const response = await app.ask(path, { ...init, headers });
    for (const text of response.headers.getSetCookie()) {
      const { name, value, maxAge } = Bun.Cookie.parse(text);
      if (maxAge === 0) cookies.delete(name);
      else cookies.set(name, value);
    }
    return response;
  }
  return {
    cookies,
    ask,
    async submit(page, action, fields = {}) {
      const csrf = /name="csrf" value="([^"]+)"/.exec(await (await ask(page)).text())?.[1] ?? "";
      return ask(action, {
        method: "POST",
        headers: { origin: app.ctx.config.siteUrl },
        body: new URLSearchParams({ csrf, ...fields }),
      });
    },
  };
}

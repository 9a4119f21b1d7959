/** An OpenID Connect provider nobody here wrote (`oidc-provider`), whose people change while they are signed in. */
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import Provider from "oidc-provider";

export interface Person {
  preferred_username?: string;
  email?: string;
  email_verified?: boolean;
  groups?: string[];
}

export interface IdentityProvider extends AsyncDisposable {
  issuer: string;
  clientSecret: string;
  /** By login; without one, the person is gone. */
  people: Map<string, Person>;
  /** Signs in with the login form and the consent. @returns the URL that the browser is sent back to */
  signIn(authorization: string, login: string): Promise<string>;
  /** Answers no request until it is awake again. */
  isAsleep: boolean;
  /** Requests of svc, by path. */
  asked: string[];
}

const quiet = <T>(work: () => T): T => {
  const { warn, info } = console;
  Object.assign(console, { warn() {}, info() {} });
  try {
    return work();
  } finally {
    Object.assign(console, { warn, info });
  }
};

const clientSecret = "a secret of svc";

export async function startIdentityProvider(redirect: string, home: string): Promise<IdentityProvider> {
  const people = new Map<string, Person>();
  const gate = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: (request) => forward(request) });
  const issuer = gate.url.origin;
  const provider = quiet(
    () =>
      new Provider(issuer, {
        clients: [
          {
            client_id: "svc",
            client_secret: clientSecret,
            redirect_uris: [redirect],
            post_logout_redirect_uris: [home],
            grant_types: ["authorization_code", "refresh_token"],
          },
        ],
        claims: {
          openid: ["sub"],
          profile: ["preferred_username", "groups"],
          email: ["email", "email_verified"],
        },
        cookies: { keys: ["a key"] },
        findAccount: (_, login) => {
          const person = people.get(login);
          return person && { accountId: login, claims: () => ({ ...person, sub: login }) };
        },
        issueRefreshToken: () => true,
        ttl: {
          AccessToken: 3_600,
          RefreshToken: 86_400,
          IdToken: 3_600,
          Grant: 86_400,
          Session: 86_400,
          Interaction: 600,
        },
      }),
  );
  provider.proxy = true;
  const server: Server = quiet(() => provider.listen(0, "127.0.0.1"));
  await once(server, "listening");
  const inner = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const state = { isAsleep: false, asked: [] as string[] };
  async function forward(request: Request): Promise<Response> {
    const { pathname, search, host } = new URL(request.url);
    if (state.isAsleep) return new Response("asleep", { status: 503 });
    state.asked.push(pathname);
    const headers = new Headers(request.headers);
    headers.set("x-forwarded-host", host);
    headers.set("x-forwarded-proto", "http");
    const body = request.body ? await request.arrayBuffer() : undefined;
    return fetch(inner + pathname + search, {
      method: request.method,
      headers,
      redirect: "manual",
      ...(body && { body }),
    });
  }
  return Object.assign(state, {
    issuer,
    clientSecret,
    people,
    signIn: (authorization: string, login: string) => walk(authorization, login, redirect),
    async [Symbol.asyncDispose]() {
      await gate.stop(true);
      server.close();
      server.closeAllConnections();
    },
  });
}

/** A browser of its own: follows redirects, and sends the forms of login and consent. */
async function walk(authorization: string, login: string, redirect: string): Promise<string> {
  const cookies = new Bun.CookieMap();
  let request: { url: string; form?: URLSearchParams } = { url: authorization };
  for (let steps = 0; steps < 20; steps++) {
    const { url, form } = request;
    const response = await fetch(url, {
      method: form ? "POST" : "GET",
      redirect: "manual",
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") },
      ...(form && { body: form }),
    });
    for (const text of response.headers.getSetCookie()) {
      const { name, value } = Bun.Cookie.parse(text);
      cookies.set(name, value);
    }
    const location = response.headers.get("location");
    if (location?.startsWith(redirect)) return location;
    if (location) {
      request = { url: new URL(location, url).href };
      continue;
    }
    const page = await response.text();
    const action = /action="([^"]+)"/.exec(page)?.[1];
    if (!action) throw new Error(`${url} answered ${response.status}: ${page}`);
    const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1] ?? "";
    request = {
      url: new URL(action, url).href,
      form: new URLSearchParams({ prompt, login, password: "secret" }),
    };
  }
  throw new Error("the sign-in went in circles");
}

/**
 * A fake GitHub API for the outbox: issues with a state and comments. Tests make it fail, hang and restart.
 */

/**
 * An injected fault: an error status, no response, or a closed connection. "after": the request takes effect
 * first.
 */
export type Fault = number | "hang" | "hang after" | "reset after" | "redirect";

export interface Issue {
  state: "open" | "closed";
  /** A merged pull request stays closed. */
  merged: boolean;
  comments: string[];
}

export interface GithubApi extends AsyncDisposable {
  url: string;
  /** `POST /repos/acme/atlas/issues/12/comments`, in order. */
  requests: string[];
  /** Number of requests that followed a redirect to another path. */
  redirectedRequests: number;
  /** Returns an issue, which it creates if needed. */
  issue(number: number, fields?: Partial<Issue>): Issue;
  /** Injects the fault into the next `times` requests of this method. */
  failWith(trouble: Fault, method?: string, times?: number): void;
  clearFaults(): void;
  /** Returns to the initial state. */
  reset(): void;
  /** Closes every connection. Comments stay. */
  stop(): Promise<void>;
  start(): void;
}

export const githubToken = "a-github-token";

export function startGithubApi(): GithubApi {
  const issues = new Map<number, Issue>();
  const requests: string[] = [];
  let troubles: { trouble: Fault; method: string | undefined; left: number }[] = [];
  let server: Bun.Server<undefined>;

  const issue = (number: number, fields: Partial<Issue> = {}): Issue => {
    const found = issues.get(number) ?? { state: "open", merged: false, comments: [], ...fields };
    issues.set(number, found);
    return found;
  };

  async function answer(request: Request, url: URL): Promise<Response> {
    const { headers, method } = request;
    if (headers.get("authorization") !== `Bearer ${githubToken}`)
      return Response.json({ message: "Bad credentials" }, { status: 401 });
    if (!headers.get("user-agent")) return Response.json({ message: "Request forbidden" }, { status: 403 });
    const [, number, rest = ""] =
      /^\/repos\/acme\/atlas\/issues\/(\d+)(\/comments)?$/.exec(url.pathname) ?? [];
    const found = issues.get(Number(number));
    if (!found) return Response.json({ message: "Not Found" }, { status: 404 });
    if (rest && method === "POST") {
      const { body } = (await request.json()) as { body: string };
      found.comments.push(body);
      return Response.json({ id: found.comments.length, body }, { status: 201 });
    }
    if (rest) {
      const [page, length] = ["page", "per_page"].map((name) => Number(url.searchParams.get(name))) as [
        number,
        number,
      ];
      return Response.json(
        found.comments.slice((page - 1) * length, page * length).map((body) => ({ body })),
      );
    }
    if (method === "PATCH") {
      if (found.merged) return Response.json({ message: "Validation Failed" }, { status: 422 });
      found.state = ((await request.json()) as Pick<Issue, "state">).state;
    }
    return Response.json({ number: Number(number), state: found.state });
  }

  const start = (port = 0) => {
    server = Bun.serve({
      ...{ hostname: "127.0.0.1", port, development: false, idleTimeout: 0 },
      async fetch(request) {
        const url = new URL(request.url);
        if (url.pathname === "/elsewhere") api.redirectedRequests++;
        requests.push(`${request.method} ${url.pathname}`);
        const met = troubles.find(
          ({ method, left }) => left > 0 && (method === undefined || method === request.method),
        );
        if (!met) return answer(request, url);
        met.left--;
        const { trouble } = met;
        if (typeof trouble === "number") return Response.json({ message: "no" }, { status: trouble });
        if (trouble === "redirect") return Response.redirect(new URL("/elsewhere", url).href, 307);
        if (trouble !== "hang") await answer(request, url);
        if (trouble === "reset after") await server.stop(true);
        return new Promise<Response>(() => {});
      },
    });
  };
  start();

  const api: GithubApi = {
    get url() {
      return server.url.origin;
    },
    ...{ requests, issue, redirectedRequests: 0 },
    failWith: (trouble, method, times = Number.POSITIVE_INFINITY) =>
      void troubles.push({ trouble, method, left: times }),
    clearFaults: () => void (troubles = []),
    reset() {
      issues.clear();
      requests.length = 0;
      troubles = [];
    },
    stop: () => server.stop(true),
    start: () => start(Number(server.url.port)),
    [Symbol.asyncDispose]: () => server.stop(true),
  };
  return api;
}

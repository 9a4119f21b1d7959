/**
 * Fake issue APIs of GitLab, Gitea and Bitbucket, as their documentation describes them: paths, authentication,
 * pages, and what a state can change to.
 */

export interface FakeTask {
  state: string;
  comments: string[];
}

/** `issues 12` or `pulls 12`; on Gitea both are issues of one list of numbers. */
type TaskName = `${"issues" | "pulls"} ${number}`;

export interface ForgeApi extends AsyncDisposable {
  url: string;
  host: string;
  /** Method and path of each request, in order. */
  requests: string[];
  task(name: TaskName, fields?: Partial<FakeTask>): FakeTask;
  /** The next POST takes effect, but its response never comes. */
  loseNextPost(): void;
  /** The next request is answered with this status. */
  failOnce(status: number): void;
}

export const forgeToken = "a-forge-token";

interface Call {
  method: string;
  url: URL;
  body: Record<string, unknown>;
}

/** What one forge does with an authenticated request of a task; `rest` is the path below it. */
type Answer = (task: FakeTask, rest: string, call: Call) => Response;

const json = (value: unknown, status = 200) => Response.json(value, { status });
const pageOf = <T>({ searchParams }: URL, list: T[], size: string) => {
  const [page, length] = [Number(searchParams.get("page") ?? 1), Number(searchParams.get(size) ?? 20)];
  if (length > 100) throw new Error(`${size} is at most 100`);
  return { slice: list.slice((page - 1) * length, page * length), hasNext: list.length > page * length };
};

const gitlab: Answer = (task, rest, { method, url, body }) => {
  if (rest === "/notes" && method === "POST") {
    task.comments.push(body.body as string);
    return json({ id: task.comments.length, body: body.body }, 201);
  }
  if (rest === "/notes")
    return json(pageOf(url, task.comments.toReversed(), "per_page").slice.map((note) => ({ body: note })));
  if (method === "PUT" && body.state_event === "reopen") {
    if (task.state !== "closed") return json({ message: "cannot be reopened" }, 422);
    task.state = "opened";
  }
  return json({ state: task.state });
};

const gitea: Answer = (task, rest, { method, body }) => {
  if (rest === "/comments" && method === "POST") {
    task.comments.push(body.body as string);
    return json({ id: task.comments.length, body: body.body }, 201);
  }
  if (rest === "/comments") return json(task.comments.map((text) => ({ body: text })));
  const isMerged = task.state === "merged";
  if (method === "PATCH") {
    if (isMerged) return json({ message: "merged" }, 412);
    task.state = body.state as string;
  }
  const answer = {
    state: isMerged ? "closed" : task.state,
    pull_request: isMerged ? { merged: true } : null,
  };
  return json(answer, method === "PATCH" ? 201 : 200);
};

const bitbucket: Answer = (task, rest, { method, url, body }) => {
  if (rest === "/comments" && method === "POST") {
    const { raw } = body.content as { raw: string };
    task.comments.push(raw);
    return json({ id: task.comments.length, content: { raw } }, 201);
  }
  if (rest === "/comments") {
    const { slice, hasNext } = pageOf(url, task.comments, "pagelen");
    return json({ values: slice.map((raw) => ({ content: { raw } })), ...(hasNext && { next: `${url}` }) });
  }
  if (method === "PUT") task.state = body.state as string;
  return json({ state: task.state });
};

export const fakes = {
  gitlab: {
    ...{ answer: gitlab, repo: "group/sub/project", closed: "closed", open: "opened" },
    path: /^\/projects\/group%2Fsub%2Fproject\/(issues|merge_requests)\/(\d+)(\/notes)?$/,
    isAuthenticated: (headers: Headers) => headers.get("private-token") === forgeToken,
  },
  gitea: {
    ...{ answer: gitea, repo: "acme/atlas", closed: "closed", open: "open" },
    path: /^\/repos\/acme\/atlas\/(issues)\/(\d+)(\/comments)?$/,
    isAuthenticated: (headers: Headers) => headers.get("authorization") === `token ${forgeToken}`,
  },
  bitbucket: {
    ...{ answer: bitbucket, repo: "acme/atlas", closed: "resolved", open: "open" },
    path: /^\/repositories\/acme\/atlas\/(issues|pullrequests)\/(\d+)(\/comments)?$/,
    isAuthenticated: (headers: Headers) => headers.get("authorization") === `Bearer ${forgeToken}`,
  },
};
export type FakeForge = keyof typeof fakes;

export function startForgeApi(forge: FakeForge): ForgeApi {
  const { answer, path, isAuthenticated } = fakes[forge];
  const tasks = new Map<string, FakeTask>();
  const requests: string[] = [];
  let losesPost = false;
  let status: number | null = null;

  async function handle(request: Request): Promise<Response> {
    const url = new URL(request.url);
    requests.push(`${request.method} ${url.pathname}`);
    if (!isAuthenticated(request.headers)) return json({ message: "401 Unauthorized" }, 401);
    if (status !== null) {
      const failed = json({ message: "no" }, status);
      status = null;
      return failed;
    }
    const [, list, number, rest = ""] = path.exec(url.pathname) ?? [];
    const named = tasks.get(`${list === "issues" ? "issues" : "pulls"} ${number}`);
    const task = named ?? (forge === "gitea" ? tasks.get(`pulls ${number}`) : undefined);
    if (!task) return json({ message: "404 Not found" }, 404);
    const { method } = request;
    const body = method === "GET" ? {} : ((await request.json()) as Call["body"]);
    const response = answer(task, rest, { method, url, body });
    if (method !== "POST" || !losesPost) return response;
    losesPost = false;
    return new Promise<Response>(() => {});
  }

  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    development: false,
    idleTimeout: 0,
    fetch: handle,
  });
  return {
    ...{ url: server.url.origin, host: server.url.host, requests },
    task(name, fields = {}) {
      const task = { state: fakes[forge].open, comments: [], ...fields };
      tasks.set(name, task);
      return task;
    },
    loseNextPost: () => void (losesPost = true),
    failOnce: (code) => void (status = code),
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

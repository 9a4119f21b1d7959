/** Servers for screenshots: one with the demo data and a few edge cases, and one without any data. */
import { fillDemo } from "../../../db/demo.ts";
import { openData } from "../../../db/open.ts";
import { entries } from "../../../src/api/docs/contents.ts";
import { allScopes } from "../../../src/core/auth/scopes.ts";
import { generateToken, hashToken } from "../../../src/core/auth/token.ts";
import { assetRowsOf, freshDatabase, must, type Server, startServer } from "../harness.ts";
import { openPlace } from "../library.ts";
import { addPausedWebhook } from "../webhooks/webhook-rows.ts";

export interface ScreenshotServer extends AsyncDisposable {
  server: Server;
  token: string;
  /** A token with `feed:read` only. */
  narrow: string;
  /** URL of every page to capture, by the name of its screenshot. */
  pages: Record<string, string>;
  docsPages: Record<string, string>;
  /** Pages to capture with the `narrow` token. */
  narrowPages: Record<string, string>;
  /** A server without data. `token` works there too. */
  bare: Server;
  barePages: Record<string, string>;
}

const longTitle = `${"An exceedingly long title that goes on, ".repeat(4)}and ends`;

export async function openScreenshotServer(): Promise<ScreenshotServer> {
  const stack = new AsyncDisposableStack();
  const place = stack.use(await openPlace("disk"));
  const [token, narrow] = [generateToken(), generateToken()];
  const now = Date.now() * 1000;
  const open = async (fill: (data: Awaited<ReturnType<typeof openData>>) => Promise<unknown>) => {
    const database = stack.use(await freshDatabase("sqlite"));
    const data = await openData(database.url, { now: () => Date.now() * 1000, log() {} });
    const row = { projects: null, created_at: now, expires_at: null };
    await data.atomically((writes) =>
      writes.addToken({ ...row, name: "mara", hash: hashToken(token), scopes: allScopes }),
    );
    await data.atomically((writes) =>
      writes.addToken({ ...row, name: "guest", hash: hashToken(narrow), scopes: ["feed:read"] }),
    );
    await fill(data);
    await data.close();
    return stack.use(await startServer(database, place.env));
  };
  const ids = new Map<string, string>();
  /** The page of the newest decision of each status. */
  const decisions = new Map<string, string>();
  const server = await open(async (data) => {
    const objects = await fillDemo(data, { now, lanes: ["lane_a", "lane_b", "lane_c"] });
    for (const [key, object] of objects)
      await place.store.put(key, object.stream(), { type: object.type, maxBytes: object.size });
    await data.atomically((writes) => writes.linkProject({ slug: "quay", repo: "acme/quay" }, now));
    for (const { title, version, id, issue, run_id } of await assetRowsOf(data)) {
      ids.set(`${title} ${version}`, id);
      ids.set(`task of ${title} ${version}`, `/projects/harbor/issues/${issue}`);
      ids.set(`run of ${title} ${version}`, `/runs/${run_id}`);
    }
    ids.set("webhook", `/settings/webhooks/${await addPausedWebhook(data)}`);
    const running = (await data.runs(null, { status: "running", limit: 1 })).runs;
    ids.set("running", `/runs/${running[0]?.id}`);
    for (const status of ["current", "superseded"] as const)
      for (const { id } of await data.decisions(null, { status, limit: 1 }))
        decisions.set(status, `/memory/decisions/${id}`);
  });
  const bare = await open(async () => {});

  const form = new FormData();
  for (const [field, value] of Object.entries({
    project: "harbor",
    by: "agent:claude-code",
    title: longTitle,
  }))
    form.append(field, value);
  form.append("file", new File(["Tide tables\n\n00:12  0.4 m\n06:31  3.9 m\n"], "a.txt"));
  const answer = await fetch(`${server.origin}/api/v1/assets`, {
    method: "POST",
    body: form,
    headers: { authorization: `Bearer ${token}` },
  });
  ids.set("long", ((await answer.json()) as { id: string }).id);

  const desk = (name: string, query = "") => `/assets/${must(ids.get(name))}${query}`;
  const compared = (name: string, mode: string) =>
    desk(`${name} 2`, `?with=${must(ids.get(`${name} 1`))}&mode=${mode}`);
  const pages = {
    today: "/",
    done: "/?view=done",
    shares: "/shares",
    ...{ feed: "/feed", "feed-filtered": "/feed?project=tern&kind=run.failed" },
    "feed-empty": "/feed?actor=agent:nobody",
    ...{
      tasks: "/tasks",
      "tasks-table": "/tasks?as=table&sort=cost",
      runs: "/runs",
      projects: "/projects",
      project: "/projects/harbor",
      "review-settings": "/projects/harbor/review",
      "project-lanes": "/projects/silt?by=lane",
    },
    ...{
      assets: "/assets",
      "review-many": "/review",
      "assets-list": "/assets?as=list",
      "assets-sheet": "/assets?as=sheet",
      "assets-empty": "/assets?project=tern&issue=1",
    },
    run: must(ids.get("run of Berth map from the water side 2")),
    ...{
      "run-running": must(ids.get("running")),
      task: must(ids.get("task of Berth map from the water side 1")),
    },
    ...{
      settings: "/settings",
      "settings-tokens": "/settings/tokens",
      "settings-projects": "/settings/projects",
      "settings-webhooks": "/settings/webhooks",
      "settings-audit": "/settings/audit",
      "settings-deployment": "/settings/deployment",
      webhook: must(ids.get("webhook")),
      welcome: "/welcome",
      "project-unused": "/projects/quay",
    },
    ...{ search: "/search?query=harbor", "search-empty": "/search", "search-none": "/search?query=zzzz" },
    ...{
      memory: "/memory",
      "memory-search": "/memory?query=prices+rounded+berth",
      "memory-superseded": "/memory?status=superseded",
      "memory-as-of": "/memory?as_of=2000-01-01",
      "memory-preferences": "/memory?view=preferences&project=harbor",
      "memory-guidance": "/memory?view=guidance",
      "memory-model": "/memory?view=guidance&model=claude-sonnet-4-5",
      "memory-digests": "/memory?view=digests&project=harbor",
      "memory-summaries": "/memory?view=digests",
      ...{
        decision: must(decisions.get("current")),
        "decision-superseded": must(decisions.get("superseded")),
      },
    },
    queue: "/assets?status=pending&project=harbor",
    "desk-checklist": desk("Night palette of the desk 2"),
    desk: desk("Night palette of the desk 2"),
    "desk-annotations": desk("Night palette of the desk 1"),
    ...Object.fromEntries(
      ["side", "wipe", "onion", "flicker", "difference"].map((mode) => [
        `desk-${mode}`,
        compared("Night palette of the desk", mode),
      ]),
    ),
    ...{
      "desk-video": desk("Date picker by keyboard 2"),
      "desk-videos": compared("Date picker by keyboard", "side"),
    },
    ...{
      "desk-audio": desk("Anchor alarm 2"),
      "desk-pdf": desk("Page of the log book 2"),
      "desk-pdfs": compared("Page of the log book", "side"),
      "desk-html-side": compared("Weekly report", "side"),
      "desk-file": desk("One day of every gauge 1"),
    },
    ...{
      "desk-html": desk("Weekly report 2"),
      "desk-text": compared("Weekly report", "text"),
      "desk-bundle": desk("Offline plan, to click through 1"),
    },
    ...{
      "desk-long": desk("long"),
      "desk-rejected": desk("Mail: a berth is free 1"),
      "desk-superseded": desk("Berth map from the water side 1"),
    },
    "desk-published": desk("Berth map from the water side 3"),
    ...{ usage: "/usage?by=task", "usage-none": "/usage?from=2001-01-01&to=2001-01-02" },
    ...{ more: "/more", method: "/methodology", missing: "/projects/nowhere" },
  };
  const docsPages = Object.fromEntries(entries.map(({ name, path }) => [`docs-${name}`, path]));
  return {
    ...{ server, token, narrow, pages, docsPages, bare },
    narrowPages: { "lacks-assets": "/assets", "lacks-project": "/projects/harbor" },
    barePages: {
      ...{ "bare-today": "/", "bare-feed": "/feed", "bare-projects": "/projects", "bare-assets": "/assets" },
      "bare-welcome": "/welcome",
      ...{ "bare-tasks": "/tasks", "bare-runs": "/runs", "bare-usage": "/usage", "bare-memory": "/memory" },
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

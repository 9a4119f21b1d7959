/** What one node takes back, the other does not show from its next answer on, however often it did before. */
import { expect, test } from "bun:test";
import { openData } from "../../../db/open.ts";
import type { Asset } from "../../../src/library/assets/schema.ts";
import type { CreatedShares } from "../../../src/library/shares/schema.ts";
import {
  event,
  link,
  migratedDatabase,
  must,
  programToken,
  type Server,
  startServer,
} from "../../support/harness.ts";
import { openPlace } from "../../support/library.ts";
import { openSignInForm } from "../../support/test-server.ts";

const authorization = `Bearer ${programToken}`;
const reason = "It must go.";

/** A browser at a node. */
async function signIn({ origin }: Server): Promise<string> {
  const { cookie, csrf } = await openSignInForm(origin);
  const response = await fetch(`${origin}/sign-in`, {
    ...{ method: "POST", body: new URLSearchParams({ token: programToken, csrf }), redirect: "manual" },
    headers: { origin, cookie },
  });
  return must(response.headers.get("set-cookie")?.split(";")[0]);
}

/** Without what differs between two answers to one request: signatures, tokens of forms, and times. */
const stable = (text: string): string =>
  text
    .replace(/(exp|sig|expires|signature)=[^"&\s]+/g, "")
    .replace(/"(since|until)":"[^"]*"/g, "")
    .replace(/(nonce|value|content)="[^"]*"/g, "")
    .replace(/http:\/\/[^/"]+/g, "");

test("two nodes answer the same after unpublish, delete, redact, erase, and the removal of a project", async () => {
  await using database = await migratedDatabase("postgres");
  await using place = await openPlace("bucket");
  const data = await openData(database.url, { now: () => Date.now() * 1000, log() {} });
  await link(data, "atlas");
  await link(data, "harbor");
  const ofEvent = (fields: object) =>
    event({ kind: "run.failed", project: "atlas", run_id: "run-1", issue: 7, cost_equiv: 2, ...fields });
  const { added } = await data.append([
    ofEvent({ summary: "The lighthouse key is quartz", kind: "issue.opened" }),
    ofEvent({ summary: "Zorro did it", actor: "human:zorro", person: "zorro", team: "maps" }),
    event({ kind: "run.failed", project: "harbor", summary: "Boats" }),
  ]);
  await data.close();
  await using first = await startServer(database, place.env);
  await using second = await startServer(database, place.env);
  const cookies = new Map([
    [first, await signIn(first)],
    [second, await signIn(second)],
  ]);
  const send = async (path: string, json?: object, method = "POST") => {
    const response = await fetch(`${first.origin}/api/v1${path}`, {
      ...{ method, ...(json && { body: JSON.stringify(json) }) },
      headers: { authorization, "content-type": "application/json" },
    });
    expect([path, response.status < 300 ? "" : await response.clone().text()]).toEqual([path, ""]);
    return response;
  };
  const upload = async (name: string) => {
    const form = new FormData();
    form.append("project", "atlas");
    form.append("file", new File([name], `${name}.txt`));
    const response = await fetch(`${first.origin}/api/v1/assets`, {
      ...{ method: "POST", body: form },
      headers: { authorization },
    });
    const { id } = (await response.json()) as Asset;
    await send(`/assets/${id}/review`, { decision: "approved", note: `Note on ${name}` }, "PUT");
    return id;
  };
  const [map, chart] = [await upload("map"), await upload("chart")];
  const published = (await (await send(`/assets/${map}/publish`)).json()) as Asset;
  await send("/decisions", { project: "atlas", text: "Zorro decides on maps" });

  const byProject = ["feed", "runs", "tasks", "usage", "assets", "decisions"].map(
    (list) => `/${list}?project=atlas`,
  );
  const api = [
    ...[
      "/projects",
      "/projects/atlas",
      "/projects/atlas/usage",
      "/feed",
      "/runs",
      "/runs/run-1",
      "/usage?by=person",
    ],
    ...[
      "/search?query=quartz",
      "/search?query=zorro",
      "/recall?query=zorro",
      "/projects/atlas/brief",
      "/today",
    ],
    ...[
      `/assets/${map}`,
      `/assets/${chart}`,
      `/assets/${map}/review`,
      "/tasks/board",
      "/usage?by=run&person=zorro",
    ],
    ...byProject,
  ];
  const pages = [
    ...[
      "/",
      "/projects",
      "/projects/atlas",
      "/projects/atlas/issues/7",
      "/runs/run-1",
      "/feed",
      "/search?query=zorro",
    ],
    ...[`/assets/${map}`, `/assets/${chart}`, "/removals", "/memory?project=atlas", "/reviews?project=atlas"],
    ...byProject.filter((path) => !path.startsWith("/decisions")),
  ];
  const at = async (node: Server, path: string, isPage: boolean) => {
    const response = isPage
      ? await fetch(node.origin + path, { headers: { cookie: must(cookies.get(node)), accept: "text/html" } })
      : await fetch(`${node.origin}/api/v1${path}`, { headers: { authorization } });
    return { status: response.status, text: stable(await response.text()) };
  };
  /** Asks both nodes; the second one first, whose caches would be stale. */
  async function look(not: RegExp | null): Promise<Record<string, number>> {
    const statuses: Record<string, number> = {};
    for (const [path, isPage] of [
      ...api.map((one) => [one, false]),
      ...pages.map((one) => [one, true]),
    ] as const) {
      const there = await at(second, path as string, isPage as boolean);
      const here = await at(first, path as string, isPage as boolean);
      statuses[`${isPage ? "page " : ""}${path}`] = there.status;
      expect([path, isPage, there.status]).toEqual([path, isPage, here.status]);
      expect([path, there.status < 500]).toEqual([path, true]);
      if (!isPage) expect([path, there.text]).toEqual([path, here.text]);
      if (not) expect([path, isPage, not.exec(there.text)?.[0]]).toEqual([path, isPage, undefined]);
    }
    return statuses;
  }
  await look(null);
  const made = await send(`/assets/${chart}/shares`, { recipient: "Ana" });
  const { shares } = (await made.json()) as CreatedShares;
  const ofShare = new URL(must(shares[0]?.url)).pathname;
  const opened = async () => {
    const there = (await fetch(second.origin + ofShare)).status;
    expect((await fetch(first.origin + ofShare)).status).toBe(there);
    return there;
  };
  expect(await opened()).toBe(200);

  await send(`/assets/${map}/unpublish`, { reason });
  await look(null);
  expect((await fetch(must(published.public_url))).status).toBe(404);
  await send(`/assets/${chart}/delete-files`, { reason });
  await look(null);
  await send("/removals", { kind: "event", subject: String(must(added[0]).id), reason });
  await look(/is quartz/);
  await send("/removals", { kind: "person", subject: "zorro", reason });
  await look(/zorro (did|decides)|human:zorro|"zorro"[,}]/i);
  await send("/removals", { kind: "project", subject: "atlas", reason });
  const statuses = await look(/lighthouse|on maps|Note on/);
  const ofProject = Object.keys(statuses).filter((path) => /atlas|run-1|\/assets\/0/.test(path));
  const lists = ["/feed?project=atlas", "/runs?project=atlas", "/assets?project=atlas"];
  expect(ofProject.filter((path) => statuses[path] !== 404)).toEqual(lists);
  for (const path of ofProject.filter((one) => one.startsWith("page ")))
    expect((await at(second, path.slice("page ".length), true)).text).toMatch(
      /There is no project "atlas"|No (project|asset|run|issue|task)|not found/i,
    );
  expect(await opened()).toBe(404);
  const left = await openData(database.url, { now: () => Date.now() * 1000, log() {} });
  expect(await left.findInconsistencies()).toEqual([]);
  await left.close();
});

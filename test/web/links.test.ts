/**
 * Every link of every surface leads to something of the stated type on this site: pages, documents for
 * machines, texts and header fields.
 */
import { expect, test } from "bun:test";
import { fillDemo } from "../../db/demo.ts";
import type { Scope } from "../../src/core/auth/scopes.ts";
import { signIn } from "../../src/core/auth/session/session.ts";
import { paths } from "../../src/core/info.ts";
import { link, must, openApp, type TestApp } from "../support/harness.ts";

const site = "http://svc.test";

interface Link {
  url: string;
  /** Stated beside it. */
  type: string | undefined;
  from: string;
}

/**
 * Names that look like addresses: of schemas and profiles, of what an address is about, and of where
 * addresses begin.
 */
const isName = (key: string, from: string): boolean =>
  ["$schema", "anchor", "resource", "profile"].includes(key) || (from === paths.openapi && key === "servers");

/** What answers to another method than GET, or with what never ends. */
const otherwise: Record<string, number> = { [paths.mcp]: 405, [`${paths.hooks}/github`]: 405 };

/** Links in user data are not checked. */
const isData = (path: string): boolean => path.startsWith(`${paths.api}/`) && path !== `${paths.api}/info`;

function linksOf(text: string, media: string, from: string): Link[] {
  const found = (urls: Iterable<string | undefined>): Link[] =>
    [...urls].flatMap((url) => (url ? [{ url, type: undefined, from }] : []));
  const first = (pattern: RegExp) =>
    [...text.matchAll(pattern)].map(([, one]) => one?.replaceAll("&amp;", "&"));
  if (media === "text/html") return found([...first(/\s(?:href|src)="([^"]+)"/g), ...linksOfForms(text)]);
  if (media.includes("xml")) return found(first(/<loc>([^<]+)<\/loc>/g));
  if (media.endsWith("json") && media !== "application/problem+json")
    return isData(from) ? [] : linksOfJson(JSON.parse(text), from);
  // What stands in code is not followed.
  if (media === "text/markdown" || media === "text/plain")
    return found(
      text
        .split(/^```[\s\S]*?^```$/m)
        .flatMap((part) => [...part.matchAll(/\]\(([^)\s]+)\)/g)].map(([, url]) => url)),
    );
  return [];
}

function linksOfJson(value: unknown, from: string): Link[] {
  if (typeof value !== "object" || value === null) return [];
  const { type } = value as { type?: unknown };
  return Object.entries(value).flatMap(([key, one]) => {
    if (isName(key, from)) return [];
    const isAddress = typeof one === "string" && /^(https?:\/\/|\/\.well-known\/)\S+$/.test(one);
    return isAddress
      ? [
          {
            url: one,
            type: typeof type === "string" && /^[\w.+-]+\/[\w.+-]+(;|$)/.test(type) ? type : undefined,
            from,
          },
        ]
      : linksOfJson(one, from);
  });
}

const linksOfField = (field: string | null, from: string): Link[] =>
  [...(field ?? "").matchAll(/<([^>]+)>((?:; \w+="[^"]*")*)/g)].map(([, url = "", attributes = ""]) => ({
    ...{ url, from },
    type: /type="([^"]+)"/.exec(attributes)?.[1],
  }));

interface Seen {
  status: number;
  media: string;
  ids: Set<string>;
}

/** What stands for a link when it is followed: links with the same key are followed once, those without never. */
type KeyOf = (to: URL) => string | null;

/** Of addresses that differ in the values of their query alone, one is enough. */
const byQueryNames: KeyOf = ({ pathname, searchParams }) =>
  [pathname, ...new Set(searchParams.keys())].join("?");

/** Pages that differ in names and numbers alone, of which this many are followed. */
const alikeMax = 4;

/** Every choice of filters and tabs once, and a few of the pages that differ in names and numbers alone. */
function byChoices(): KeyOf {
  const followed = new Map<string, Set<string>>();
  return ({ pathname, search, searchParams }) => {
    if (/^\/(docs|api)\b|\.\w+$/.test(pathname)) return null;
    const folder = pathname.replace(/\/(projects|issues|pulls|runs|assets|decisions)\/[^/]+/g, "/$1/…");
    // A detail keeps the filters of the list that led to it: one of them is enough.
    if (folder !== pathname && searchParams.size > 1) return null;
    // A tag keeps the filters of its list: without them is enough.
    if (searchParams.has("query") && searchParams.size > 1) return null;
    const isChoice = ([name, value]: [string, string]) =>
      folder === pathname && !["project", "query"].includes(name) && /^[a-z][a-z_.-]*$/.test(value);
    const choices = [...searchParams].map((one) => (isChoice(one) ? one.join("=") : one[0]));
    const form = [folder, ...choices.toSorted()].join("?");
    const alike = followed.get(form) ?? new Set();
    followed.set(form, alike);
    if (alike.size < (search === "" ? alikeMax : 1)) alike.add(pathname + search);
    return alike.has(pathname + search) ? pathname + search : null;
  };
}

/** Where the filters of a list lead with each option of their selections. */
function linksOfForms(html: string): string[] {
  const forms = html.matchAll(/<form class="filters[^>]*method="get" action="([^"]*)"[^>]*>(.*?)<\/form>/gs);
  return [...forms].flatMap(([, action = "", fields = ""]) =>
    [...fields.matchAll(/<select[^>]*name="([^"]+)"[^>]*>(.*?)<\/select>/gs)].flatMap(
      ([, name, options = ""]) =>
        [...options.matchAll(/value="([^"]+)"/g)].map(([, value]) => `${action}?${name}=${value}`),
    ),
  );
}

/** Follows everything from the home page on. @param cookie of a session */
async function walk(
  app: TestApp,
  keyOf: KeyOf,
  cookie = "",
): Promise<{ seen: Map<string, Seen>; wrong: string[]; away: string[] }> {
  const collected = new Map<string, Seen>();
  const [wrong, away]: [string[], string[]] = [[], []];
  const queue: Link[] = [{ url: "/", type: undefined, from: "/" }];
  for (let next = queue.shift(); next; next = queue.shift()) {
    const { url, type, from } = next;
    if (/^(mailto|data|svc|cursor|vscode):/.test(url)) continue;
    const to = new URL(url, site + from.replace(/\.md$/, ""));
    if (to.origin !== site) {
      // A project's repository is where it is, and example.com is an example (RFC 2606).
      if (!/^https:\/\/(github\.com\/acme\/atlas|example\.com\/)/.test(to.href))
        away.push(`${from} → ${url}`);
      continue;
    }
    const path = keyOf(to);
    if (path === null) continue;
    const existing = collected.get(path) ?? (await look(path, to.pathname + to.search));
    const expected = otherwise[path] ?? 200;
    // A page that needs a session says so, and shows where to sign in.
    const isShut = existing.status === 401 && existing.media === "text/html";
    // What it leads to instead is followed, too.
    const isMoved = existing.status === 302;
    if (existing.status !== expected && !isShut && !isMoved)
      wrong.push(`${from} → ${path}: ${existing.status}`);
    if (type && !fits(type, existing.media))
      wrong.push(`${from} → ${path}: ${existing.media}, stated as ${type}`);
    if (to.hash && existing.media === "text/html" && !existing.ids.has(decodeURIComponent(to.hash.slice(1))))
      wrong.push(`${from} → ${path}${to.hash}: no such anchor`);
  }
  return { seen: collected, wrong, away };

  async function look(path: string, address: string): Promise<Seen> {
    const accept = path.endsWith(".md") ? "text/markdown" : "text/html, */*;q=0.5";
    const answer = await app.ask(address, { headers: { accept, cookie } });
    const media = answer.headers.get("content-type")?.split(";")[0] ?? "";
    const text = media === "text/event-stream" ? "" : await answer.text();
    if (media === "text/event-stream") await answer.body?.cancel();
    const found = {
      status: answer.status,
      media,
      ids: new Set([...text.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id as string)),
    };
    collected.set(path, found);
    const moved = answer.headers.get("location");
    if (moved !== null) queue.push({ url: moved, type: undefined, from: path });
    queue.push(...linksOf(text, media, path), ...linksOfField(answer.headers.get("link"), path));
    return found;
  }
}

/** What is described as something more particular may be sent as what it is in general. */
const fits = (stated: string, sent: string): boolean => {
  const [type = ""] = stated.split(";");
  return type === sent || sent === "application/json" || type === "streamable-http";
};

test("every link leads somewhere on this site, with the type that is stated", async () => {
  await using app = await openApp("sqlite", { SVC_PUBLIC_READ: "1", SVC_RATE_LIMIT: "off" });
  await link(app.ctx.data, "atlas");
  const { seen, wrong, away } = await walk(app, byQueryNames);
  expect(away).toEqual([]);
  expect(wrong).toEqual([]);
  // From the home page alone, all that there is is found.
  const { links } = (await (await app.ask(`${paths.api}/info`)).json()) as { links: Record<string, string> };
  const surfaces = Object.values(links).map((url) => url.slice(site.length).split("#")[0] as string);
  expect(
    [...surfaces, paths.sitemap, paths.mcpCard, "/docs/versioning", "/docs/developer.md"].filter(
      (path) => !seen.has(path),
    ),
  ).toEqual([]);
});

test("every filter and tab of the demo leads to a page", async () => {
  await using app = await openApp("sqlite", { SVC_DATA_MODE: "mock", SVC_RATE_LIMIT: "off" });
  await fillDemo(app.ctx.data, { now: app.clock.now(), lanes: app.ctx.config.lanes });
  const { seen, wrong } = await walk(app, byChoices());
  expect(wrong).toEqual([]);
  expect(
    ["/usage?by=model", "/usage?by=run", "/runs?sort=cost", "/memory?view=brief"].filter(
      (page) => !seen.has(page),
    ),
  ).toEqual([]);
  expect(seen.size).toBeLessThan(450);
});

/** What people with few scopes may open, and what of it their navigation names. */
const narrow: [scopes: Scope[], entries: string[]][] = [
  [
    ["assets:read", "assets:review"],
    ["Today", "Assets", "More"],
  ],
  [["feed:read"], ["Today", "Tasks", "Feed", "Projects", "Usage", "More"]],
  [["memory:read"], ["Memory", "More"]],
];
test("with few scopes every page is whole, and the navigation names what may be opened", async () => {
  await using app = await openApp("sqlite", { SVC_RATE_LIMIT: "off" });
  await fillDemo(app.ctx.data, { now: app.clock.now(), lanes: app.ctx.config.lanes });
  for (const [scopes, entries] of narrow) {
    const cookie = must((await signIn(app.ctx, await app.mint(scopes)))?.cookie.split(";")[0]);
    const { seen, wrong } = await walk(app, byChoices(), cookie);
    expect([scopes, wrong]).toEqual([scopes, []]);
    expect(seen.size).toBeGreaterThan(5);
    const html = await (await app.ask("/more", { headers: { cookie, accept: "text/html" } })).text();
    const [, bar = ""] = /<nav aria-label="Main">(.*?)<\/nav>/s.exec(html) ?? [];
    expect([...bar.matchAll(/<a [^>]*>([^<]+)/g)].map(([, label]) => label)).toEqual(entries);
    // Without the feed there is no stream of it, which would fail again and again.
    expect(html.includes("notify")).toBe(scopes.includes("feed:read"));
  }
});

test("a link that leads nowhere, away, or to something else is noticed", () => {
  expect(linksOf('<a href="/a">a</a><img src="b.png">', "text/html", "/").map(({ url }) => url)).toEqual([
    "/a",
    "b.png",
  ]);
  expect(linksOf("[a](/a.md): a\n```\n[b](/b)\n```\n", "text/markdown", "/").map(({ url }) => url)).toEqual([
    "/a.md",
  ]);
  const json = {
    $schema: "https://schemas.test/x",
    entries: [{ type: "text/plain", url: "https://elsewhere.test/a" }],
  };
  expect(linksOf(JSON.stringify(json), "application/json", "/x.json")).toEqual([
    { url: "https://elsewhere.test/a", type: "text/plain", from: "/x.json" },
  ]);
  expect(linksOfField('</a>; rel="x"; type="text/html", </b>; rel="y"', "/")).toEqual([
    { url: "/a", type: "text/html", from: "/" },
    { url: "/b", type: undefined, from: "/" },
  ]);
  expect([
    fits("text/plain", "text/html"),
    fits("application/ai-catalog+json", "application/ai-catalog+json"),
  ]).toEqual([false, true]);
});

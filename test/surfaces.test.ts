/** The machine-readable surfaces: each in its form, found from /info, agreeing with the others, on the configured site alone. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { allScopes } from "../src/auth/scopes.ts";
import { paths } from "../src/info.ts";
import { version } from "../src/version.ts";
import { openApp, type TestApp } from "./harness.ts";

const site = "http://svc.test";
let app: TestApp;
beforeAll(async () => {
  app = await openApp("sqlite", { SVC_PUBLIC_READ: "1" });
});
afterAll(() => app.close());

const get = (path: string, init: RequestInit = {}) => app.ask(path, init);
// biome-ignore lint/suspicious/noExplicitAny: documents of others' shapes
const json = async (path: string): Promise<any> => (await get(path)).json();

const documents: [path: string, type: RegExp][] = [
  [paths.openapi, /^application\/json$/],
  [paths.protectedResource, /^application\/json$/],
  [paths.protectedResourceMcp, /^application\/json$/],
  [paths.apiCatalog, /^application\/linkset\+json; profile="https:\/\/www\.rfc-editor\.org\/info\/rfc9727"$/],
  [paths.serverJson, /^application\/json$/],
  [paths.serverCard, /^application\/json$/],
  [paths.mcpCard, /^application\/mcp-server-card\+json$/],
  [paths.aiCatalog, /^application\/ai-catalog\+json$/],
  [paths.skills, /^application\/json$/],
  [paths.llms, /^text\/plain; charset=utf-8$/],
  [paths.llmsFull, /^text\/plain; charset=utf-8$/],
  [paths.auth, /^text\/markdown; charset=utf-8$/],
  [paths.robots, /^text\/plain; charset=utf-8$/],
  [paths.sitemap, /^application\/xml$/],
  [paths.security, /^text\/plain; charset=utf-8$/],
];

describe.each(documents)("%s", (path, type) => {
  test("is served to everybody with its type, the same by HEAD, and known again by its ETag", async () => {
    const answer = await get(path);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toMatch(type);
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(answer.headers.get("cache-control")).toBe("public, max-age=3600");
    expect(answer.headers.get("set-cookie")).toBeNull();
    const head = await get(path, { method: "HEAD" });
    const same = ["content-type", "etag", "link", "cache-control"];
    expect(same.map((name) => head.headers.get(name))).toEqual(same.map((name) => answer.headers.get(name)));
    expect(await head.text()).toBe("");
    const again = await get(path, { headers: { "if-none-match": answer.headers.get("etag") as string } });
    expect([again.status, await again.text()]).toEqual([304, ""]);
    expect((await get(path, { method: "POST" })).status).toBe(405);
  });

  test("names no other place than the configured site, identifiers aside", async () => {
    // What stands in code is no link: a default, a command, an example of an address.
    const text = (await (await get(path)).text()).replace(path === paths.llmsFull ? /```[\s\S]*?```|`[^`\n]+`/g : "", "");
    const elsewhere = [...text.matchAll(/https?:\/\/[^\s"'<>)`\\…]+/g)]
      .map(([url]) => url)
      .filter((url) => !url.startsWith(site))
      .filter(
        (url) =>
          !/^https?:\/\/(static\.modelcontextprotocol\.io\/schemas|schemas\.agentskills\.io|www\.sitemaps\.org\/schemas|www\.rfc-editor\.org\/info)/.test(
            url,
          ),
      );
    expect(elsewhere).toEqual([]);
  });
});

test("/info links every surface, and every link answers", async () => {
  const { links } = await json("/api/v1/info");
  for (const [name, url] of Object.entries(links as Record<string, string>)) {
    expect(url).toStartWith(site);
    const path = url.slice(site.length).split("#")[0] as string;
    if (name === "feed_stream") continue; // it does not end
    const { status } = await get(path, { method: name === "mcp" ? "POST" : "GET" });
    expect([name, name === "mcp" ? status !== 404 : status]).toEqual([name, name === "mcp" ? true : 200]);
  }
  for (const path of [
    paths.llms,
    paths.serverJson,
    paths.aiCatalog,
    paths.apiCatalog,
    paths.skills,
    paths.serverCard,
    paths.llmsFull,
    paths.openapi,
  ])
    expect(Object.values(links)).toContain(site + path);
});

test("every link of the catalogs and of llms.txt answers with the type that is stated", async () => {
  const { linkset } = await json(paths.apiCatalog);
  const targets = (linkset as Record<string, unknown>[]).flatMap((one) => Object.values(one).filter(Array.isArray).flat()) as {
    href: string;
    type?: string;
  }[];
  expect(targets.length).toBeGreaterThan(6);
  for (const { href, type } of targets) {
    if (href === site + paths.mcp) continue;
    const answer = await get(href.slice(site.length));
    expect([href, answer.status]).toEqual([href, 200]);
    if (type) expect(answer.headers.get("content-type")).toStartWith(type);
  }
  const llms = await (await get(paths.llms)).text();
  for (const [, url] of llms.matchAll(/\]\((http[^)]+)\)/g))
    expect([url, (await get((url as string).slice(site.length))).status]).toEqual([url, 200]);
});

test("name, version and description are the same in every document", async () => {
  const [info, server, card, bare, openapi] = await Promise.all(
    ["/api/v1/info", paths.serverJson, paths.serverCard, paths.mcpCard, paths.openapi].map(json),
  );
  expect([info.version, server.version, card.version, bare.version, openapi.info.version, card.serverInfo.version]).toEqual(
    Array(6).fill(version),
  );
  expect(new Set([server.name, card.name, bare.name])).toEqual(new Set(["test.svc/svc"]));
  expect(server.description).toBe(card.description);
  expect(server.description.length).toBeLessThanOrEqual(100);
});

test("scopes are the same where they are listed", async () => {
  const [site, mcp] = await Promise.all([json(paths.protectedResource), json(paths.protectedResourceMcp)]);
  expect(site.scopes_supported).toEqual(allScopes);
  expect(mcp.scopes_supported).toEqual(allScopes);
  expect([site.resource, mcp.resource]).toEqual(["http://svc.test", "http://svc.test/mcp"]);
  expect(site.authorization_servers).toBeUndefined();
});

test("skills have the digest of the bytes that are served, and front matter that names them", async () => {
  const { $schema, skills } = await json(paths.skills);
  expect($schema).toBe("https://schemas.agentskills.io/discovery/0.2.0/schema.json");
  expect(skills.map((one: { name: string }) => one.name)).toEqual(["start-a-task", "upload-a-result", "address-a-rejection"]);
  for (const { name, type, description, url, digest } of skills) {
    const answer = await get(url);
    const text = await answer.text();
    expect(answer.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
    expect(digest).toBe(`sha256:${new Bun.CryptoHasher("sha256").update(text).digest("hex")}`);
    expect(Bun.YAML.parse(text.split("---\n")[1] as string)).toMatchObject({ name, description });
    expect([type, url]).toEqual(["skill-md", `/.well-known/agent-skills/${name}/SKILL.md`]);
    expect(text).not.toMatch(/\{(site|base)_url\}/);
  }
});

test("llms.txt has one title, a summary and lists of links", async () => {
  const text = await (await get(paths.llms)).text();
  expect(text).toMatch(/^# svc\n\n> \S/);
  expect(text.match(/^# /gm)).toHaveLength(1);
  expect(text).not.toMatch(/^#{3,} /m);
  for (const line of text
    .split(/^## .*$/m)
    .slice(1)
    .join("")
    .split("\n")
    .filter(Boolean))
    expect(line).toMatch(/^- \[[^\]]+\]\(https?:\/\/[^)\s]+\)(: .+)?$/);
});

test("the AI catalog has entries with one address each, and identifiers of their own", async () => {
  const { specVersion, entries } = await json(paths.aiCatalog);
  expect(specVersion).toBe("1.0");
  for (const entry of entries) {
    expect(entry.identifier).toMatch(/^urn:air:[a-zA-Z0-9.-]+(:[a-zA-Z0-9._:-]+)?:[a-zA-Z0-9._-]+$/);
    expect((await get(entry.url.slice(site.length))).status).toBe(200);
    expect(entry.representativeQueries.length).toBeGreaterThanOrEqual(2);
  }
  expect(new Set(entries.map((one: { identifier: string }) => one.identifier)).size).toBe(entries.length);
});

test("what does not exist is a problem document, never a page: under the API, the well-known names, /mcp, and what OAuth clients try", async () => {
  for (const path of [
    "/api/v1/nope",
    "/.well-known/nope",
    "/mcp/nope",
    "/.well-known/oauth-authorization-server",
    "/.well-known/openid-configuration",
    "/register",
  ]) {
    const answer = await get(path);
    expect([path, answer.status, answer.headers.get("content-type")]).toEqual([path, 404, "application/problem+json"]);
  }
});

test("the home page links what a machine looks for", async () => {
  const link = (await get("/")).headers.get("link") ?? "";
  for (const relation of ["api-catalog", "service-desc", "service-doc", "describedby", "ai-catalog"])
    expect(link).toContain(`rel="${relation}"`);
});

/** The documents by which machines find the service. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { paths } from "../../../src/core/info.ts";
import { dayMicros } from "../../../src/core/lib/time.ts";
import { must, openApp, type TestApp, testClock } from "../../support/harness.ts";
import { documents, wrongBy } from "../../support/http/public-documents.ts";
import * as forms from "../../support/http/public-schemas.ts";

const site = "http://svc.test";
let app: TestApp;
beforeAll(async () => {
  app = await openApp("sqlite", { SVC_PUBLIC_READ: "1" });
});
afterAll(() => app.close());

const get = (path: string, init: RequestInit = {}) => app.ask(path, init);
// biome-ignore lint/suspicious/noExplicitAny: documents of others' shapes
const json = async (path: string): Promise<any> => (await get(path)).json();

test("server.json requires a token only if public read is off", async () => {
  await using closed = await openApp("sqlite");
  const required = async (one: TestApp) =>
    (await (await one.ask(paths.serverJson)).json()).remotes[0].headers[0].isRequired;
  expect([await required(app), await required(closed)]).toEqual([false, true]);
});

test("every URL is on the configured site, whatever the Host header", async () => {
  await using elsewhere = await openApp("sqlite", {
    SVC_SITE_URL: "https://public.test",
    SVC_PUBLIC_READ: "1",
  });
  for (const [path] of [...documents, ["/api/v1/info"], ["/"], ["/docs/api"], ["/api/v1/nope"]] as [
    string,
  ][]) {
    const answer = await elsewhere.ask(path, {
      headers: { host: "evil.test", "x-forwarded-host": "evil.test", accept: "text/html, */*" },
    });
    const text = (await answer.text()) + JSON.stringify([...answer.headers]);
    expect([path, text.match(/evil\.test|svc\.test|localhost:/)]).toEqual([path, null]);
  }
});

test("the API catalog sends its Link header for HEAD and links to the API", async () => {
  const head = await get(paths.apiCatalog, { method: "HEAD" });
  expect(head.headers.get("link")).toBe(
    `<${site}${paths.apiCatalog}>; rel="api-catalog"; type="application/linkset+json"`,
  );
  const [catalog, api, tools] = (await json(paths.apiCatalog)).linkset;
  expect(catalog.item.map((one: { href: string }) => one.href)).toEqual([
    `${site}/api/v1/info`,
    site + paths.mcp,
  ]);
  expect([api.anchor, tools.anchor]).toEqual([`${site}/api/v1`, site + paths.mcp]);
  for (const relation of ["service-desc", "service-doc"])
    expect([api[relation]?.length, tools[relation]?.length]).toEqual([1, 1]);
});

test("security.txt expires in the future but within a year, even on a long-running server", async () => {
  const clock = testClock();
  await using running = await openApp("sqlite", {}, clock);
  const daysLeft = async () => {
    const text = await (await running.ask(paths.security)).text();
    expect(text).toMatch(/^Contact: http:\/\/svc\.test\/\S+$/m);
    expect(text).toContain(`Canonical: ${site}${paths.security}`);
    return (Date.parse(must(/^Expires: (\S+)$/m.exec(text)?.[1])) * 1000 - clock.now()) / dayMicros;
  };
  for (let month = 0; month < 14; month++, clock.advance(30 * dayMicros)) {
    const left = await daysLeft();
    expect(left).toBeGreaterThan(140);
    expect(left).toBeLessThan(365);
  }
});

test("skills have the digest of the served file, and front matter that matches the index", async () => {
  const { $schema, skills } = await json(paths.skills);
  expect($schema).toBe("https://schemas.agentskills.io/discovery/0.2.0/schema.json");
  expect(skills.map((one: { name: string }) => one.name)).toEqual([
    "start-a-task",
    "upload-a-result",
    "address-a-rejection",
  ]);
  for (const { name, type, description, url, digest } of skills) {
    const answer = await get(url);
    const text = await answer.text();
    expect(answer.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
    expect(digest).toBe(`sha256:${new Bun.CryptoHasher("sha256").update(text).digest("hex")}`);
    const head = Bun.YAML.parse(text.split("---\n")[1] as string);
    expect(head).toMatchObject({ name, description });
    expect(wrongBy(forms.skillFrontMatter, head)).toEqual([]);
    expect(text.split("\n").length).toBeLessThan(500);
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

test("the AI catalog has unique identifiers, in a domain without a port", async () => {
  await using local = await openApp("sqlite", { SVC_SITE_URL: "http://localhost:8787" });
  for (const one of [app, local]) {
    const { entries } = await (await one.ask(paths.aiCatalog)).json();
    const identifiers = entries.map(({ identifier }: { identifier: string }) => identifier);
    expect(new Set(identifiers).size).toBe(identifiers.length);
    expect(identifiers.join()).not.toContain("8787");
  }
});

test("unknown paths under the API, /.well-known and /mcp, and the OAuth endpoints that clients try, return a problem document", async () => {
  for (const path of [
    "/api/v1/nope",
    "/.well-known/nope",
    "/mcp/nope",
    "/.well-known/oauth-authorization-server",
    "/.well-known/openid-configuration",
    "/register",
  ]) {
    const answer = await get(path);
    expect([path, answer.status, answer.headers.get("content-type")]).toEqual([
      path,
      404,
      "application/problem+json",
    ]);
  }
});

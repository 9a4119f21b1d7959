/**
 * Discovery: an agent that has only the URL of a site, a token and an HTTP client. It follows links and reads
 * descriptions. This file contains no path of the service, only link relations and operation summaries.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openapi } from "../../../src/api/well-known/openapi.ts";
import type { Scope } from "../../../src/core/auth/scopes.ts";
import { readConfig } from "../../../src/core/config.ts";
import type { ProjectList } from "../../../src/feed/projects/schema.ts";
import type { PresignResponse } from "../../../src/library/assets/requests.ts";
import type { Asset, AssetDetail } from "../../../src/library/assets/schema.ts";
import { connectHttp, type ToolAnswer } from "../../support/agents/mcp-clients.ts";
import { must, oneDialect } from "../../support/harness.ts";
import { openTestServer, type TestServer } from "../../support/test-server.ts";

/** The part of an OpenAPI operation that the agent reads. */
interface Operation {
  url: string;
  method: string;
  tags: string[];
  summary: string;
  "x-required-scopes"?: string[];
  requestBody?: { content: Record<string, { schema: Schema; example?: Record<string, unknown> }> };
}
interface Schema {
  $ref?: string;
  properties?: Record<string, { enum?: string[]; format?: string }>;
  required?: string[];
}

class Newcomer {
  #operations: Operation[] = [];
  #schemas: Record<string, Schema> = {};

  constructor(
    readonly site: string,
    readonly token: string,
  ) {}

  /** The home page links a catalog of APIs, which links the description of each; one of them is OpenAPI. */
  async arrive(): Promise<this> {
    const home = await fetch(this.site, { headers: { accept: "*/*" } });
    await home.body?.cancel();
    const { linkset } = await (await fetch(this.#linked(home, "api-catalog"))).json();
    const [description] = (linkset as Record<string, { href: string }[]>[]).flatMap(
      (one) => one["service-desc"] ?? [],
    );
    const document = await (await fetch(must(description).href)).json();
    this.#schemas = document.components.schemas;
    for (const [path, { servers = document.servers, ...methods }] of Object.entries<Record<string, never>>(
      document.paths,
    ))
      for (const [method, one] of Object.entries<Omit<Operation, "url" | "method">>(methods))
        this.#operations.push({
          ...one,
          method: method.toUpperCase(),
          url: (servers as { url: string }[])[0]?.url + path,
        });
    return this;
  }

  #linked(answer: Response, relation: string): string {
    const found = new RegExp(`<([^>]+)>; rel="${relation}"`).exec(answer.headers.get("link") ?? "")?.[1];
    return new URL(must(found), answer.url).href;
  }

  /** The only operation whose summary matches. */
  find(summary: RegExp): Operation {
    const found = this.#operations.filter((one) => summary.test(one.summary));
    expect(found.map((one) => one.summary)).toHaveLength(1);
    return must(found[0]);
  }

  bodyOf({ requestBody }: Operation, media: string): Schema {
    const { schema } = must(requestBody?.content[media]);
    return schema.$ref ? must(this.#schemas[must(schema.$ref.split("/").at(-1))]) : schema;
  }

  async call<T>(
    { url, method }: Operation,
    { path = {}, ...init }: RequestInit & { path?: Record<string, string> } = {},
  ): Promise<T> {
    const address = url.replace(/\{(\w+)\}/g, (_, name: string) => must(path[name]));
    const headers = {
      ...Object.fromEntries(new Headers(init.headers)),
      authorization: `Bearer ${this.token}`,
    };
    const answer = await fetch(address, { ...init, method, headers });
    if (!answer.ok) throw new Error(`${method} ${address}: ${answer.status} ${await answer.text()}`);
    return answer.json() as Promise<T>;
  }
}

const json = (fields: object): RequestInit => ({
  body: JSON.stringify(fields),
  headers: { "content-type": "application/json" },
});

describe.each(oneDialect)("on %s", (dialect) => {
  let testServer: TestServer;
  let site: string;
  beforeAll(async () => {
    testServer = await openTestServer(dialect);
    site = testServer.server.origin;
  });
  afterAll(() => testServer[Symbol.asyncDispose]());
  let guests = 0;
  const mint = (scopes: readonly Scope[]) => testServer.mint(`guest-${++guests}`, scopes);
  const arriving = async (...scopes: Scope[]) => new Newcomer(site, await mint(scopes)).arrive();

  test("an agent discovers how to upload a file, and reads the review of it", async () => {
    const agent = await arriving("feed:read", "assets:read", "assets:write");
    const { projects } = await agent.call<ProjectList>(agent.find(/^list linked projects$/i));
    const upload = agent.find(/^upload/i);
    const form = new FormData();
    for (const name of agent.bodyOf(upload, "multipart/form-data").required ?? []) {
      const { format } = must(agent.bodyOf(upload, "multipart/form-data").properties?.[name]);
      form.append(
        name,
        format === "binary"
          ? new File(["<!doctype html><h1>Berths</h1>"], "berths.html")
          : must(projects[0]).slug,
      );
    }
    const { id, status } = await agent.call<Asset>(upload, { body: form });
    expect(status).toBe("pending");

    const person = await arriving("assets:read", "assets:review");
    const review = person.find(/approve or reject/i);
    const text = person.bodyOf(review, "application/json");
    const decision = must(text.properties?.decision?.enum?.find((word) => word.startsWith("reject")));
    await person.call<Asset>(review, {
      path: { id },
      ...json({ decision, note: "Nine berths, not eight." }),
    });

    const read = agent.find(/^get an asset$/i);
    const found = await agent.call<AssetDetail>(read, { path: { id } });
    expect([found.status, found.review_note]).toEqual(["rejected", "Nine berths, not eight."]);
    // The bytes are behind the address that it is given; no token is sent there.
    expect(await (await fetch(must(found.url))).text()).toContain("Berths");

    // What was said is shown to work: the example of the document with what is missed filled in.
    const reserve = agent.find(/^request an upload url$/i);
    const example = must(reserve.requestBody?.content["application/json"]?.example);
    const offer = await agent.call<PresignResponse>(
      reserve,
      json({ ...example, project: must(projects[0]).slug, replaces: id }),
    );
    await fetch(offer.upload_url, {
      method: "PUT",
      headers: offer.headers ?? {},
      body: "<!doctype html><h1>Nine berths</h1>",
    });
    const next = await agent.call<Asset>({ ...upload, url: offer.finalize_url }, json(offer.finalize_body));
    expect(next).toMatchObject({ version: 2, parent_id: id, status: "pending" });
  });

  test("an agent that speaks MCP finds the server, uploads with its tools and reads the review", async () => {
    const token = await mint(["feed:read", "assets:read", "assets:write"]);
    const home = await fetch(site);
    await home.body?.cancel();
    const [, catalogUrl = ""] = /<([^>]+)>; rel="ai-catalog"/.exec(home.headers.get("link") ?? "") ?? [];
    const { entries } = await (await fetch(new URL(catalogUrl, site))).json();
    const entry = (entries as { type: string; url: string }[]).find(({ type }) =>
      type.startsWith("application/mcp-server-card"),
    );
    const { remotes } = await (await fetch(must(entry).url)).json();
    await using connected = await connectHttp("client 2, 2026-07-28", remotes[0].url, token);
    const { client } = connected;
    const { tools } = await client.listTools();
    const call = async <T>(title: RegExp, args: Record<string, unknown>): Promise<T> => {
      const tool = must(tools.find((one) => title.test(one.title ?? "")));
      const answer = (await client.callTool({ name: tool.name, arguments: args })) as ToolAnswer;
      if (answer.isError) throw new Error(JSON.stringify(answer.content));
      return answer.structuredContent as T;
    };
    const { upload_url, headers, id, finalize_body } = await call<PresignResponse>(/request an upload/i, {
      project: "atlas",
      filename: "b.txt",
    });
    await fetch(upload_url, { method: "PUT", headers: headers ?? {}, body: "Nine berths" });
    await call<Asset>(/finalize/i, { id, ...finalize_body });
    const person = await arriving("assets:review");
    await person.call<Asset>(person.find(/approve or reject/i), {
      path: { id },
      ...json({ decision: "approved", note: "Good." }),
    });
    expect(await call<Asset>(/get an asset/i, { id })).toMatchObject({
      status: "approved",
      review_note: "Good.",
    });
  });

  test("a client without a token is told where to get one", async () => {
    const stranger = await new Newcomer(site, "").arrive();
    const { url } = stranger.find(/^list assets$/i);
    const refused = await fetch(url);
    expect(refused.status).toBe(401);
    const [, metadata = ""] =
      /resource_metadata="([^"]+)"/.exec(refused.headers.get("www-authenticate") ?? "") ?? [];
    const { resource, resource_documentation } = await (await fetch(metadata)).json();
    expect(url.startsWith(resource)).toBe(true);
    expect(await (await fetch(resource_documentation)).text()).toContain("svc token create");
  });
});

test("this file contains no path of the service", async () => {
  const text = (await Bun.file(import.meta.path).text()).replace(/^import .*$/gm, "");
  const { paths } = openapi({ config: readConfig({}), deprecations: [], now: () => 0 }) as { paths: object };
  const beginnings = Object.keys(paths).map((path) => path.split("/{")[0] as string);
  expect(beginnings.length).toBeGreaterThan(10);
  expect(
    beginnings.filter(
      (path) => text.includes(`${path}"`) || text.includes(`${path}/`) || text.includes(`${path}\``),
    ),
  ).toEqual([]);
});

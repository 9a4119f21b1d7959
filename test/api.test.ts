/**
 * The API as programs of others use it: through the typed client, a task from its first run to what is
 * published. A call that did not compile would be one that the document does not allow; each answer is held
 * against it as well.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Api, ApiError, connect, unwrap } from "../cli/client/client.ts";
import { allScopes, type Scope } from "../src/core/auth/scopes.ts";
import { dialects, must } from "./support/harness.ts";
import { type Library, openLibrary, pathOf } from "./support/library.ts";

describe.each(dialects)("the typed client on %s", (dialect) => {
  let library: Library;
  let api: Api;
  beforeAll(async () => {
    library = await openLibrary(dialect, "disk");
    api = await apiWith(...allScopes);
  });
  afterAll(() => library.close());

  /** A client with these scopes, in this process. */
  async function apiWith(...scopes: Scope[]): Promise<Api> {
    const token =
      scopes.length > 0
        ? await library.mint(scopes, { name: `t${crypto.randomUUID().slice(0, 8)}` })
        : undefined;
    const fetch = async (request: Request) => {
      const { method, headers, body } = request;
      return library.ask(pathOf(request.url), {
        method,
        headers,
        ...(body && { body: await request.bytes() }),
      });
    };
    return connect({ url: "http://svc.test", token, fetch });
  }

  const refusal = async (call: Promise<unknown>): Promise<[number, string]> => {
    const error = await call.then(
      () => null,
      (error) => error,
    );
    if (!(error instanceof ApiError)) throw error ?? new Error("it was not refused");
    return [error.status, error.message];
  };

  test("/info is public", async () => {
    const info = await unwrap((await apiWith()).GET("/info"));
    expect([info.name, info.rules.length, info.links.openapi]).toEqual([
      "svc",
      5,
      "http://svc.test/openapi.json",
    ]);
  });

  test("appends a run once, however often it is sent, and pages through everything exactly once", async () => {
    const events = Array.from({ length: 7 }, (_, step) => ({
      ...{ kind: "step.usage" as const, actor: "agent:codex", project: "atlas", summary: `Step ${step}` },
      ...{ dedupe_key: `run-7-${step}`, tokens_in: 100, lane: "lane_a" as const },
    }));
    expect(await unwrap(api.POST("/events", { body: { events } }))).toEqual({ accepted: 7, duplicates: 0 });
    expect(await unwrap(api.POST("/events", { body: { events } }))).toEqual({ accepted: 0, duplicates: 7 });

    const found: string[] = [];
    for (let before: string | null | undefined; before !== null; ) {
      const query = { project: "atlas", kind: "step.usage" as const, limit: 3, ...(before && { before }) };
      const page = await unwrap(api.GET("/feed", { params: { query } }));
      found.push(...page.events.map(({ summary }) => summary));
      before = page.next_before;
    }
    expect(found).toEqual(events.map(({ summary }) => summary).toReversed());

    const { usage } = await unwrap(
      api.GET("/projects/{slug}/usage", { params: { path: { slug: "atlas" } } }),
    );
    expect(usage.map(({ lane, tokens_in }) => [lane, tokens_in])).toEqual([["lane_a", 700]]);
  });

  test("gives an address in the letters that addresses have, whatever letters it came with", async () => {
    const given = [
      ["https://a.test/path?q=1#here", "https://a.test/path?q=1#here"],
      ["https://a.test", "https://a.test"],
      ["https://a.test/ä|b[1]?c={d}^#`e`", "https://a.test/%C3%A4%7Cb%5B1%5D?c=%7Bd%7D%5E#%60e%60"],
      ["https://exämple.test/100%", "https://xn--exmple-cua.test/100%25"],
      ["https://^jH~>W7@rE", "https://%5EjH~%3EW7@re/"],
    ];
    const body = {
      events: given.map(([url]) => ({
        kind: "preview.ready" as const,
        actor: "agent:codex",
        summary: "Up",
        url: url as string,
      })),
    };
    await unwrap(api.POST("/events", { body }));
    const { events } = await unwrap(api.GET("/feed", { params: { query: { kind: "preview.ready" } } }));
    expect(events.map(({ url }) => url).toReversed()).toEqual(given.map(([, url]) => url as string));
  });

  test("takes an asset through rejection and a better version to a permanent address, and remembers why", async () => {
    const page = (text: string) =>
      new Blob([`<!doctype html><title>Berths</title><p>${text}`], { type: "text/html" });
    const upload = async (text: string, replaces?: string) => {
      const body = { project: "atlas", filename: "berths.html", issue: 12, ...(replaces && { replaces }) };
      const offer = await unwrap(api.POST("/assets/presign", { body }));
      expect((await library.put(offer, page(text))).status).toBe(200);
      return unwrap(
        api.POST("/assets/{id}/finalize", { params: { path: { id: offer.id } }, body: offer.finalize_body }),
      );
    };
    const review = (id: string, body: { decision: "approved" | "rejected"; note?: string }) =>
      unwrap(api.PUT("/assets/{id}/review", { params: { path: { id } }, body }));

    const first = await upload("Eight");
    expect([first.status, first.kind, first.version]).toEqual(["pending", "html", 1]);
    expect((await refusal(review(first.id, { decision: "rejected" })))[0]).toBe(400);
    await review(first.id, { decision: "rejected", note: "Nine berths, not eight." });
    const { decisions } = await unwrap(api.GET("/projects/{slug}", { params: { path: { slug: "atlas" } } }));
    expect(decisions.map(({ source, source_ref, text }) => [source, source_ref, text])).toEqual([
      ["review", first.id, expect.stringContaining("Nine berths")],
    ]);

    const second = await upload("Nine", first.id);
    expect([second.version, second.parent_id]).toEqual([2, first.id]);
    expect(await refusal(upload("Ten", first.id))).toEqual([409, expect.any(String)]);
    await review(second.id, { decision: "approved" });
    const published = await unwrap(api.POST("/assets/{id}/publish", { params: { path: { id: second.id } } }));
    expect(await (await library.fetch(published.public_url)).text()).toContain("Nine");
    const { versions } = await unwrap(api.GET("/assets/{id}", { params: { path: { id: second.id } } }));
    expect(versions.map(({ version, status }) => [version, status])).toEqual([
      [1, "superseded"],
      [2, "published"],
    ]);
    const { assets } = await unwrap(
      api.GET("/assets", { params: { query: { project: "atlas", status: "published", issue: 12 } } }),
    );
    expect(assets.map(({ id }) => id)).toEqual([second.id]);
    const { events } = await unwrap(api.GET("/feed", { params: { query: { kind: "asset.reviewed" } } }));
    expect(events.length).toBe(2);
  });

  test("records a decision, and one that replaces it", async () => {
    const decide = (text: string, supersedes?: number) =>
      unwrap(
        api.POST("/decisions", {
          body: { project: "atlas", text, by: "human:mara", ...(supersedes && { supersedes }) },
        }),
      );
    const maps = await decide("Use maps.");
    expect([maps.actor, maps.added]).toEqual(["human:mara", true]);
    const globes = await decide("Use globes.", maps.id);
    const { decisions } = await unwrap(api.GET("/projects/{slug}", { params: { path: { slug: "atlas" } } }));
    expect(decisions.map(({ id }) => id)).toContain(globes.id);
    expect(decisions.map(({ id }) => id)).not.toContain(maps.id);
  });

  test("throws what is refused, with its status and the words for a person", async () => {
    const stranger = await apiWith();
    const reader = await apiWith("feed:read");
    const slug = { params: { path: { slug: "nowhere" } } };
    expect(await refusal(unwrap(stranger.GET("/projects")))).toEqual([
      401,
      expect.stringContaining("feed:read"),
    ]);
    expect(await refusal(unwrap(reader.GET("/assets")))).toEqual([
      403,
      expect.stringContaining("assets:read"),
    ]);
    expect(await refusal(unwrap(reader.GET("/projects/{slug}", slug)))).toEqual([
      404,
      expect.stringContaining("nowhere"),
    ]);
    expect(await refusal(unwrap(reader.GET("/feed", { params: { query: { limit: 201 } } })))).toEqual([
      400,
      expect.stringContaining("limit"),
    ]);
  });

  test("knows an answer again that has not changed", async () => {
    const { response } = await api.GET("/projects");
    const etag = must(response.headers.get("etag"));
    const again = await api.GET("/projects", { params: { header: { "If-None-Match": etag } } });
    expect([again.response.status, again.data]).toEqual([304, undefined]);
  });
});

/**
 * Every operation, tool, page, form, byte route and stream, asked by everybody: every set of scopes, no
 * token, bad ones, a session. Generated from the table of operations and the lists of routes: what is new
 * there has to be named here.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { PresignResponse } from "../../src/assets/schema.ts";
import { issueFormToken } from "../../src/auth/csrf.ts";
import { allScopes, type Scope } from "../../src/auth/scopes.ts";
import { signIn, visitorFrom } from "../../src/auth/session.ts";
import { generateToken } from "../../src/auth/token.ts";
import { healthRoutes } from "../../src/http/monitoring/health.ts";
import { metricsRoute } from "../../src/http/monitoring/metrics.ts";
import { httpOperations, toolOperations } from "../../src/operations/index.ts";
import { pendingKey } from "../../src/stores/keys.ts";
import { type ActionName, actionNames, type PageName, pageNames, uploadPath } from "../../src/web/routes.ts";
import { documentRoutes } from "../../src/well-known/documents.ts";
import { reached, times } from "../faults/promises.ts";
import { must, type TestRequest, until } from "../support/harness.ts";
import { file, type Library, openLibrary, pathOf } from "../support/library.ts";
import { type ToolAnswer, textOf, toolCall } from "../support/mcp-clients.ts";

type Needed = Scope | "public" | "any token";

/**
 * What a right request says: a path below the surface's base, and the rest. `fresh`: things that were made
 * for it alone.
 */
interface Right extends TestRequest {
  path: string;
}
interface Fresh {
  pending(): Promise<string>;
  approved(): Promise<string>;
  reserved(): Promise<PresignResponse>;
}

const formWith = (fields: Record<string, string>): FormData => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append("file", file());
  return form;
};

const requests: Record<string, (fresh: Fresh) => Promise<Right> | Right> = {
  getInfo: () => ({ path: "/info" }),
  getFeed: () => ({ path: "/feed?limit=1" }),
  streamFeed: () => ({ path: "/feed/stream" }),
  appendEvents: () => ({
    path: "/events",
    json: { events: [{ kind: "run.started", actor: "agent:codex", summary: "Run 7" }] },
  }),
  listProjects: () => ({ path: "/projects" }),
  getProject: () => ({ path: "/projects/atlas" }),
  getUsage: () => ({ path: "/projects/atlas/usage" }),
  getToken: () => ({ path: "/token" }),
  recall: () => ({ path: "/recall?query=maps" }),
  brief: () => ({ path: "/projects/atlas/brief" }),
  listDecisions: () => ({ path: "/projects/atlas/decisions" }),
  listPreferences: () => ({ path: "/preferences" }),
  prefer: () => ({
    path: "/preferences",
    method: "PUT",
    json: { key: `quotes-${crypto.randomUUID()}`, value: "double" },
  }),
  decide: () => ({
    path: "/decisions",
    json: { project: "atlas", text: `Use globes ${crypto.randomUUID()}` },
  }),
  listAssets: () => ({ path: "/assets" }),
  getAsset: async (fresh) => ({ path: `/assets/${await fresh.pending()}` }),
  uploadAsset: () => ({ path: "/assets", method: "POST", body: formWith({ project: "atlas" }) }),
  requestUpload: () => ({ path: "/assets/presign", json: { project: "atlas", filename: "note.txt" } }),
  requestUploadByType: () => ({
    path: "/assets",
    json: { presign: true, project: "atlas", filename: "note.txt" },
  }),
  finalizeAsset: async (fresh) => {
    const { id, finalize_body } = await fresh.reserved();
    return { path: `/assets/${id}/finalize`, json: finalize_body };
  },
  reviewAsset: async (fresh) => ({
    path: `/assets/${await fresh.pending()}/review`,
    method: "PUT",
    json: { decision: "approved" },
  }),
  publishAsset: async (fresh) => ({ path: `/assets/${await fresh.approved()}/publish`, method: "POST" }),
};

const toolArguments: Record<
  string,
  (fresh: Fresh) => Promise<Record<string, unknown>> | Record<string, unknown>
> = {
  svc_get_info: () => ({}),
  svc_get_methodology: () => ({}),
  svc_get_feed: () => ({ limit: 1 }),
  svc_get_project: () => ({ slug: "atlas" }),
  svc_recall: () => ({ query: "maps" }),
  svc_brief: () => ({ project: "atlas", intent: "draw maps" }),
  svc_guidance: () => ({ model: "model-1" }),
  svc_feed: () => ({}),
  svc_project: () => ({ slug: "atlas" }),
  svc_decide: () => ({ project: "atlas", text: `Use globes ${crypto.randomUUID()}` }),
  svc_prefer: () => ({ key: `quotes-${crypto.randomUUID()}`, value: "double" }),
  svc_asset_list: () => ({}),
  svc_asset_get: async (fresh) => ({ id: await fresh.pending() }),
  svc_asset_request_upload: () => ({ project: "atlas", filename: "note.txt" }),
  svc_asset_finalize: async (fresh) => {
    const { id, finalize_body } = await fresh.reserved();
    return { id, ...finalize_body };
  },
};

const pageScopes: Record<PageName, Needed> = {
  ...{
    feed: "feed:read",
    feedRows: "feed:read",
    projects: "feed:read",
    project: "feed:read",
    usageCsv: "feed:read",
  },
  ...{
    assets: "assets:read",
    asset: "assets:read",
    methodology: "public",
    docs: "public",
    design: "public",
    signIn: "public",
  },
};

/** `signIn` takes a token, not a session; `signOut` everybody. */
const formScopes: Record<
  Exclude<ActionName, "signIn" | "signOut">,
  { needs: Scope; fields: Record<string, string> }
> = {
  review: { needs: "assets:review", fields: { decision: "approved" } },
  publish: { needs: "assets:write", fields: {} },
};

/** Routes without a place in the tables above, where they are not for everybody. */
const plainScopes: Record<string, Scope> = { "/metrics": "feed:read" };

/** So many of all subsets, those of one scope and of all but one first. */
function scopeSets(most: number): Scope[][] {
  const subsets = Array.from({ length: 2 ** allScopes.length }, (_, bits) =>
    allScopes.filter((_, index) => (bits >> index) & 1),
  );
  const telling = ({ length }: Scope[]) =>
    length === 1 || length >= allScopes.length - 1 || length === 0 ? 0 : 1;
  return subsets.toSorted((a, b) => telling(a) - telling(b)).slice(0, most);
}

interface Somebody {
  who: string;
  scopes: readonly Scope[];
  token?: string;
  /** Not one that opens anything. */
  bad?: true;
  cookie: string;
  csrf: string;
}

describe.each([
  { dialect: "sqlite", place: "disk" },
  { dialect: "postgres", place: "bucket" },
] as const)("on $dialect and $place", ({ dialect, place }) => {
  let library: Library;
  let everybody: Somebody[];
  let shared: Fresh;

  beforeAll(async () => {
    library = await openLibrary(dialect, place);
    const { ctx } = library;
    // Who may is the question here, not what a file is: nothing is looked at, so that thousands of uploads
    // are quick.
    const measures = { width: null, height: null, duration_ms: null };
    ctx.probe.inspect = async () => ({ mime: "text/plain", kind: "file", ...measures });
    const model = {
      id: "model-1",
      provider: "acme",
      lanes: [],
      onboarded_at: 1,
      refreshed_at: 1,
      guidance_count: 0,
      skill_count: 0,
    };
    await ctx.data.atomically((writes) => writes.saveModel(model));
    const sessionOf = async (token: string) => (await signIn(ctx, token))?.cookie.split(";")[0] ?? "";
    const somebody = async (who: string, scopes: readonly Scope[], token?: string): Promise<Somebody> => ({
      ...{ who, scopes, cookie: token ? await sessionOf(token) : "", csrf: "" },
      ...(token !== undefined && { token }),
    });
    const known = scopeSets(times("scopes")).map(async (scopes) =>
      somebody(scopes.join(" ") || "no scope", scopes, await library.mint(scopes)),
    );
    const revoked = await somebody("revoked", [], await library.mint(allScopes, { name: "revoked" }));
    const expired = await somebody(
      "expired",
      [],
      await library.mint(allScopes, { expires_at: library.clock.now() + 1_000_000 }),
    );
    await ctx.data.atomically((writes) => writes.revokeToken("revoked", library.clock.now()));
    library.clock.advance(1_000_000);
    const bad = [
      revoked,
      expired,
      await somebody("unknown", [], generateToken()),
      await somebody("garbage", [], "not-one-of-ours"),
    ];
    everybody = [
      ...(await Promise.all(known)),
      await somebody("nobody", []),
      ...bad.map((one) => ({ ...one, bad: true as const })),
    ];
    reached("scopes", known.length);
    for (const one of everybody) {
      one.cookie = `${one.cookie}; ${issueFormToken(ctx).cookie.split(";")[0]}`;
      one.csrf = must((await visitorFrom(ctx, one.cookie)).csrf);
    }
    const [pending, approved, reserved] = [
      await fresh.pending(),
      await fresh.approved(),
      await fresh.reserved(),
    ];
    shared = { pending: async () => pending, approved: async () => approved, reserved: async () => reserved };
  });
  afterAll(() => library.close());

  const fresh: Fresh = {
    pending: async () => (await library.plant({ bytes: "some words" })).id,
    async approved() {
      const id = await fresh.pending();
      await library.review(id, { decision: "approved" });
      return id;
    },
    async reserved() {
      const reserved = (await library.presign({})).body;
      expect((await library.put(reserved, "some words")).status).toBe(200);
      return reserved;
    },
  };

  /** All there is, to see that a refusal changed nothing. */
  const everything = async () => ({
    keys: (await library.keys()).toSorted(),
    published: await library.keys(library.publicStore),
    head: await library.ctx.data.head(),
    assets: (await library.ctx.data.assets(null, { limit: 10_000 }))
      .map(({ id, status }) => `${id} ${status}`)
      .toSorted(),
  });

  /** The bytes of an upload are taken away behind the answer that finalizes it. */
  const isTidied = async () => {
    const { keys, assets } = await everything();
    const finalized = new Set(assets.map((one) => pendingKey(one.split(" ", 1)[0] as string)));
    return keys.every((key) => !finalized.has(key));
  };

  /**
   * Asks for each thing as each of everybody, first those who may not: they hear what `refusal` says, and
   * nothing is changed.
   * @param may whether somebody may; by default who has the scope
   */
  async function everybodyAsks(
    things: {
      name: string;
      needs: Needed;
      success: number;
      ask: (one: Somebody, fresh: Fresh) => Promise<Response>;
    }[],
    refusal: (one: Somebody) => number,
    may = (one: Somebody, needs: Needed) =>
      needs === "any token"
        ? Boolean(one.token) && !one.bad
        : needs === "public" || one.scopes.includes(needs),
  ): Promise<void> {
    const ask = async (
      { name, ask }: (typeof things)[number],
      one: Somebody,
      made: Fresh,
      expected: number,
    ) => {
      const response = await ask(one, made);
      const where = `${name} by ${one.who}`;
      if (response.status !== expected)
        expect([where, response.status, await response.text()]).toEqual([where, expected, ""]);
      await response.body?.cancel();
      reached("matrix");
    };
    await until(isTidied, "what was finalized has left the place of its upload");
    const before = await everything();
    for (const thing of things) {
      for (const one of everybody) if (!may(one, thing.needs)) await ask(thing, one, shared, refusal(one));
    }
    expect(await everything()).toEqual(before);
    for (const thing of things)
      for (const one of everybody) if (may(one, thing.needs)) await ask(thing, one, fresh, thing.success);
  }

  const bearerRefusal = ({ token, bad }: Somebody) => (token && !bad ? 403 : 401);
  const sessionRefusal = ({ token, bad }: Somebody) => (token && !bad ? 403 : 401);

  test("the API is open to whom the scope of the operation is given, by their token alone", async () => {
    const rows = httpOperations.map(({ id, scope, anyToken, http }) => ({
      ...{ name: id, needs: anyToken ? ("any token" as const) : scope, success: http.status ?? 200 },
      ask: async ({ token }: Somebody, made: Fresh) => {
        const { path, ...init } = await must(requests[id])(made);
        return library.ask(`/api/v1${path}`, { ...init, ...(token && { token }) });
      },
    }));
    await everybodyAsks(rows, bearerRefusal);
    const byCookie = rows.map((row) => ({
      ...row,
      ask: async ({ cookie }: Somebody, made: Fresh) => {
        const { path, ...init } = await must(requests[row.name])(made);
        return library.ask(`/api/v1${path}`, { ...init, headers: { cookie } });
      },
    }));
    const guarded = byCookie.filter(({ needs }) => needs !== "public");
    await everybodyAsks(
      guarded,
      () => 401,
      () => false,
    );
  });

  test("the routes of the islands are open by the session alone", async () => {
    const headersOf = ({ cookie, csrf }: Somebody) => ({
      cookie,
      origin: "http://svc.test",
      "x-csrf-token": csrf,
    });
    const rows = httpOperations.map(({ id, scope, anyToken, http }) => ({
      ...{
        name: `/web ${id}`,
        needs: anyToken ? ("any token" as const) : scope,
        success: http.status ?? 200,
      },
      ask: async (one: Somebody, made: Fresh) => {
        const { path, ...init } = await must(requests[id])(made);
        return library.ask(`/web${path}`, {
          ...init,
          headers: headersOf(one),
          ...(one.token && { token: generateToken() }),
        });
      },
    }));
    await everybodyAsks(rows, sessionRefusal);
    const byToken = rows.map((row) => ({
      ...row,
      ask: async ({ token, csrf }: Somebody, made: Fresh) => {
        const { path, ...init } = await must(requests[row.name.slice(5)])(made);
        const headers = { origin: "http://svc.test", "x-csrf-token": csrf };
        return library.ask(`/web${path}`, { ...init, headers, ...(token && { token }) });
      },
    }));
    const reads = byToken.filter(
      ({ name, needs }) => needs !== "public" && /^(get|list|stream)/.test(name.slice(5)),
    );
    await everybodyAsks(
      reads,
      () => 401,
      () => false,
    );
  });

  test("a tool is open to whom its scope is given; the others hear its name, and a bad token is no call at all", async () => {
    const said: string[] = [];
    const rows = toolOperations.map(({ tool, scope }) => ({
      ...{ name: tool.name, needs: scope, success: 200 },
      ask: async (one: Somebody, made: Fresh) => {
        const args = await must(toolArguments[tool.name])(made);
        const response = await library.ask("/mcp", {
          ...toolCall("modern", tool.name, args),
          ...(one.token && { token: one.token }),
        });
        if (response.status !== 200) return response;
        const { result } = (await response.json()) as { result: ToolAnswer };
        const allowed = scope === "public" || one.scopes.includes(scope);
        if ((result.isError ?? false) === allowed || (!allowed && !textOf(result).includes(scope)))
          said.push(`${tool.name} by ${one.who}: ${textOf(result)}`);
        return new Response(null, { status: 200 });
      },
    }));
    const badToo = (one: Somebody, needs: Needed) =>
      !one.bad && needs !== "any token" && (needs === "public" || one.scopes.includes(needs));
    await everybodyAsks(rows, ({ bad }) => (bad ? 401 : 200), badToo);
    expect(said).toEqual([]);
  });

  test("pages and forms are open by the session, to whom their scope is given", async () => {
    const place = (path: string, id: string) =>
      path.replace(":slug", "atlas").replace(":page", "api").replace(":id", id);
    const shown = await shared.pending();
    const pages = Object.entries(pageNames).map(([path, name]) => ({
      ...{ name: path, needs: pageScopes[name], success: 200 },
      ask: ({ cookie }: Somebody) =>
        library.ask(place(path, shown), { headers: { cookie, accept: "text/html" } }),
    }));
    const forms = Object.entries(actionNames).flatMap(([path, name]) => {
      if (name === "signIn" || name === "signOut") return [];
      const { needs, fields } = formScopes[name];
      const ask = async ({ cookie, csrf }: Somebody, made: Fresh) => {
        const id = await (name === "publish" ? made.approved() : made.pending());
        const body = new URLSearchParams({ csrf, ...fields });
        return library.ask(place(path, id), {
          method: "POST",
          body,
          headers: { cookie, origin: "http://svc.test" },
        });
      };
      return [{ name: `POST ${path}`, needs, success: 303, ask }];
    });
    const fileForm = ({ cookie, csrf }: Somebody) =>
      library.ask(uploadPath, {
        method: "POST",
        body: formWith({ csrf, project: "atlas" }),
        headers: { cookie, origin: "http://svc.test" },
      });
    const signOut = ({ cookie, csrf }: Somebody) =>
      library.ask("/sign-out", {
        method: "POST",
        body: new URLSearchParams({ csrf }),
        headers: { cookie, origin: "http://svc.test" },
      });
    await everybodyAsks(
      [
        ...pages,
        ...forms,
        { name: `POST ${uploadPath}`, needs: "assets:write", success: 303, ask: fileForm },
        { name: "POST /sign-out", needs: "public", success: 303, ask: signOut },
      ],
      sessionRefusal,
    );
  });

  test("a signed address is open to whoever holds it, whoever it is; a changed one to nobody", async () => {
    const id = await shared.pending();
    const { body } = await library.say(`/assets/${id}`);
    const view = pathOf(must(body.url));
    const { upload_url, headers = {} } = (await library.presign({})).body;
    const with_ = ({ token, cookie }: Somebody, init: TestRequest = {}): TestRequest => ({
      ...init,
      headers: { ...(init.headers as Record<string, string>), cookie },
      ...(token && { token }),
    });
    const get = (path: string) => (one: Somebody) => library.ask(path, with_(one));
    const put = (one: Somebody) =>
      library.ask(
        pathOf(upload_url).replace(/.(?=\/[^/]+$)/, "!"),
        with_(one, { method: "PUT", body: "x", headers }),
      );
    await everybodyAsks(
      [
        { name: "view", needs: "public", success: 200, ask: get(view) },
        {
          name: "a changed view",
          needs: "public",
          success: 403,
          ask: get(view.replace(/.(?=\/[^/]+$)/, "!")),
        },
        {
          name: "a view as a thumbnail",
          needs: "public",
          success: 403,
          ask: get(view.replace("/view/", "/thumb/")),
        },
        ...(upload_url.startsWith("http://svc.test")
          ? [{ name: "a changed upload", needs: "public" as const, success: 403, ask: put }]
          : []),
        { name: "media", needs: "public", success: 404, ask: get(`/media/atlas/${id}/note.txt`) },
        {
          name: "a delivery",
          needs: "public",
          success: 501,
          ask: (one) => library.ask("/api/hooks/github", with_(one, { json: {} })),
        },
      ],
      () => 403,
    );
  });

  test("documents and health are open to everybody", async () => {
    const paths = Object.keys({
      ...documentRoutes(library.ctx),
      ...healthRoutes(library.ctx),
      ...metricsRoute(library.ctx),
    });
    const rows = paths.map((path) => ({
      ...{ name: path, needs: plainScopes[path] ?? ("public" as const), success: 200 },
      ask: ({ token }: Somebody) => library.ask(path, token ? { token } : {}),
    }));
    await everybodyAsks(rows, bearerRefusal);
  });
});

test("every operation and every tool is asked", () => {
  expect(httpOperations.map(({ id }) => id).filter((id) => !requests[id])).toEqual([]);
  expect(toolOperations.map(({ tool }) => tool.name).filter((name) => !toolArguments[name])).toEqual([]);
});

/**
 * Every operation, tool, page, form, file route and stream, requested by callers with every set of scopes,
 * without a token, with an invalid one, and with a session. Generated from the table of operations and the
 * lists of routes: what is new there has to be added to test/support/http/scope-requests.ts.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { healthRoutes } from "../../../src/api/http/monitoring/health.ts";
import { metricsRoute } from "../../../src/api/http/monitoring/request-metrics.ts";
import { httpOperations, toolOperations } from "../../../src/api/operations/index.ts";
import { documentRoutes } from "../../../src/api/well-known/documents.ts";
import { allScopes } from "../../../src/core/auth/scopes.ts";
import { generateToken } from "../../../src/core/auth/token.ts";
import { actionNames, pageNames, uploadPath } from "../../../src/web/routes.ts";
import { pickField } from "../../../src/web/variant-sets/parameters.ts";
import { reached, scale, times } from "../../faults/promises.ts";
import { type ToolAnswer, textOf, toolCall } from "../../support/agents/mcp-clients.ts";
import { must, scaled, type TestRequest } from "../../support/harness.ts";
import { openScopeMatrix, type ScopeCaller, type ScopeMatrix } from "../../support/http/scope-callers.ts";
import {
  type Fresh,
  formScopes,
  formWith,
  type Needed,
  pageScopes,
  pathFor,
  plainScopes,
  requests,
  toolArguments,
} from "../../support/http/scope-requests.ts";
import { deployments, type Library, pathOf, type StorePlace } from "../../support/library.ts";

const tokenNeeds = { any: "any token", admin: "every scope" } as const;

/** Who may run an operation, and the status of its success. */
const expectedOf = ({ id, scope, token, http }: (typeof httpOperations)[number], place: StorePlace) => ({
  // The matrix has links of another creator, which only an admin renews.
  needs: id === "renewShare" ? ("every scope" as const) : token ? tokenNeeds[token] : scope,
  // A disk store takes no parts.
  success: id === "requestUploadParts" && place === "disk" ? 501 : (withoutMail[id] ?? http.status ?? 200),
});

/** There is no mail server here, and so no digest: test/integrations/email has both. */
const withoutMail: Record<string, number> = {
  addEmailDigest: 501,
  sendEmailDigest: 501,
  removeEmailDigest: 404,
  sendTestMail: 501,
  endSession: 404, // there is none with this id
};

/** What refuses all callers refuses those who may most and least: in the suite these are enough. */
const isExtreme = ({ scopes, token, isInvalid }: ScopeCaller) =>
  scale !== "suite" || scopes.length === allScopes.length || isInvalid || !token;

/** A request with the cookie and the token of a caller. */
const withCaller = ({ token, cookie }: ScopeCaller, init: TestRequest = {}): TestRequest => ({
  ...init,
  headers: { ...(init.headers as Record<string, string>), cookie },
  ...(token && { token }),
});

/**
 * Neither rows nor statuses depend on the dialect, and of the store only what `requestUploadParts` answers,
 * which test/api/http/contract.test.ts has in a bucket.
 */
const tested = scaled<typeof deployments>([{ dialect: "sqlite", place: "disk" }], deployments);

/** Those of pages that answer with something other than a page. */
const pageStatuses: Partial<Record<string, number>> = {
  ...{ model: 404, inbox: 301, pull: 302 },
  ...{ beginSignIn: 404, finishSignIn: 404, providerSignOut: 404 }, // there is no provider
};

/** Those of forms that answer with something other than a redirect. */
const formStatuses: Partial<Record<string, number>> = {
  // The page has a secret.
  ...{ createShare: 200, createProjectShare: 200, createSignInLink: 200 },
  ...{ addWebhook: 200, rotateWebhook: 200, offboard: 200 },
  // There is no mail server, and so no digest.
  ...{ addOwnDigest: 501, sendOwnDigest: 501, removeOwnDigest: 404 },
  ...{ addDigest: 501, sendDigest: 501, removeDigest: 404, sendTestMail: 501 },
  endSession: 404,
};

describe.each(tested)("on $dialect and $place", ({ dialect, place }) => {
  let matrix: ScopeMatrix;
  let library: Library;
  let shared: Fresh;
  beforeAll(async () => {
    matrix = await openScopeMatrix(dialect, place);
    ({ library, shared } = matrix);
    reached("scopes", times("scopes"));
  });
  afterAll(() => library.close());

  const expectAccess = async (...access: Parameters<ScopeMatrix["expectAccess"]>) =>
    reached("matrix", await matrix.expectAccess(...access));
  const bearerRefusal = ({ token, isInvalid }: ScopeCaller) => (token && !isInvalid ? 403 : 401);

  test("the API is open to tokens with the scope of the operation, and not to sessions", async () => {
    const rows = httpOperations.map((one) => ({
      ...{ name: one.id, ...expectedOf(one, place) },
      send: async ({ token }: ScopeCaller, made: Fresh) => {
        const { path, ...init } = await must(requests[one.id])(made);
        return library.ask(`/api/v1${path}`, { ...init, ...(token && { token }) });
      },
    }));
    // A token ends all sessions that were opened with it, also those of the next tests.
    await expectAccess(
      rows.filter(({ name }) => name !== "endOtherSessions"),
      bearerRefusal,
    );
    const byCookie = rows.map((row) => ({
      ...row,
      send: async ({ cookie }: ScopeCaller, made: Fresh) => {
        const { path, ...init } = await must(requests[row.name])(made);
        return library.ask(`/api/v1${path}`, { ...init, headers: { cookie } });
      },
    }));
    const guarded = byCookie.filter(({ needs }) => needs !== "public");
    await expectAccess(
      guarded,
      () => 401,
      () => false,
      isExtreme,
    );
  });

  test("the routes of the islands are open to sessions, and not to tokens", async () => {
    const headersOf = ({ cookie, csrf }: ScopeCaller) => ({
      cookie,
      origin: "http://svc.test",
      "x-csrf-token": csrf,
    });
    const rows = httpOperations.map((operation) => ({
      ...{ name: `/web ${operation.id}`, ...expectedOf(operation, place) },
      ...(operation.isPersonal && { needs: "any token" as const }),
      send: async (one: ScopeCaller, made: Fresh) => {
        const { path, ...init } = await must(requests[operation.id])(made);
        return library.ask(`/web${path}`, {
          ...init,
          headers: headersOf(one),
          ...(one.token && { token: generateToken() }),
        });
      },
    }));
    await expectAccess(rows, bearerRefusal);
    const byToken = rows.map((row) => ({
      ...row,
      send: async ({ token, csrf }: ScopeCaller, made: Fresh) => {
        const { path, ...init } = await must(requests[row.name.slice(5)])(made);
        const headers = { origin: "http://svc.test", "x-csrf-token": csrf };
        return library.ask(`/web${path}`, { ...init, headers, ...(token && { token }) });
      },
    }));
    const reads = byToken.filter(
      ({ name, needs }) => needs !== "public" && /^(get|list|stream)/.test(name.slice(5)),
    );
    await expectAccess(
      reads,
      () => 401,
      () => false,
      isExtreme,
    );
  });

  test("a tool is open to callers with its scope; the others get its name, and an invalid token gets a 401", async () => {
    const failures: string[] = [];
    const rows = toolOperations.map(({ tool, scope }) => ({
      ...{ name: tool.name, needs: scope, success: 200 },
      send: async (one: ScopeCaller, made: Fresh) => {
        const args = await must(toolArguments[tool.name])(made);
        const response = await library.ask("/mcp", {
          ...toolCall("modern", tool.name, args),
          ...(one.token && { token: one.token }),
        });
        if (response.status !== 200) return response;
        const { result } = (await response.json()) as { result: ToolAnswer };
        const allowed = scope === "public" || one.scopes.includes(scope);
        if ((result.isError ?? false) === allowed || (!allowed && !textOf(result).includes(scope)))
          failures.push(`${tool.name} by ${one.name}: ${textOf(result)}`);
        return new Response(null, { status: 200 });
      },
    }));
    const isAllowed = (one: ScopeCaller, needs: Needed) =>
      !one.isInvalid && (needs === "public" || (one.scopes as readonly string[]).includes(needs));
    await expectAccess(rows, ({ isInvalid }) => (isInvalid ? 401 : 200), isAllowed);
    expect(failures).toEqual([]);
  });

  test("pages and forms are open to sessions with their scope", async () => {
    // The asset of the test is no model; the inbox is a part of Today, and a pull request one of its issue.
    // Without the feed, Today is what else a visitor may open: see test/web/links.test.ts.
    const paged = Object.entries(pageNames).filter(([, name]) => name !== "today");
    const pages = paged.map(([path, name]) => ({
      ...{ name: path, needs: pageScopes[name], success: pageStatuses[name] ?? 200 },
      send: async ({ cookie }: ScopeCaller) =>
        library.ask(await pathFor(path, shared), { headers: { cookie, accept: "text/html" } }),
    }));
    const post = (path: string, { cookie }: ScopeCaller, body: URLSearchParams | FormData) =>
      library.ask(path, { method: "POST", body, headers: { cookie, origin: "http://svc.test" } });
    const forms = Object.entries(actionNames).flatMap(([path, name]) => {
      if (name === "signIn" || name === "renewSignInLink" || name === "signOut") return [];
      const { needs, fields } = formScopes[name];
      const send = async (caller: ScopeCaller, made: Fresh) => {
        const body = new URLSearchParams({ csrf: caller.csrf, ...fields });
        if (name === "reviewVariantSet" || name === "bulkReview")
          body.set(pickField(await made.pending()), "1");
        return post(await pathFor(path, made), caller, body);
      };
      const success = formStatuses[name] ?? 303;
      return [{ name: `POST ${path}`, needs, success, send }];
    });
    const fileForm = (caller: ScopeCaller) =>
      post(uploadPath, caller, formWith({ csrf: caller.csrf, project: "atlas" }));
    const signOut = (caller: ScopeCaller) =>
      post("/sign-out", caller, new URLSearchParams({ csrf: caller.csrf }));
    await expectAccess(
      [
        ...pages,
        ...forms,
        { name: `POST ${uploadPath}`, needs: "assets:write", success: 303, send: fileForm },
        { name: "POST /sign-out", needs: "public", success: 303, send: signOut },
      ],
      bearerRefusal,
    );
  });

  test("a signed URL is open to every caller, and a changed one to none", async () => {
    const id = await shared.pending();
    const { body } = await library.say(`/assets/${id}`);
    const view = pathOf(must(body.url));
    const { upload_url, headers = {} } = (await library.presign({})).body;
    const get = (path: string) => (one: ScopeCaller) => library.ask(path, withCaller(one));
    const put = (one: ScopeCaller) =>
      library.ask(
        pathOf(upload_url).replace(/.(?=\/[^/]+$)/, "!"),
        withCaller(one, { method: "PUT", body: "x", headers }),
      );
    await expectAccess(
      [
        { name: "view", needs: "public", success: 200, send: get(view) },
        {
          name: "a changed view",
          needs: "public",
          success: 403,
          send: get(view.replace(/.(?=\/[^/]+$)/, "!")),
        },
        {
          name: "a view as a thumbnail",
          needs: "public",
          success: 403,
          send: get(view.replace("/view/", "/thumb/")),
        },
        ...(upload_url.startsWith("http://svc.test")
          ? [{ name: "a changed upload", needs: "public" as const, success: 403, send: put }]
          : []),
        { name: "media", needs: "public", success: 404, send: get(`/media/atlas/${id}/note.txt`) },
        {
          name: "a delivery",
          needs: "public",
          success: 501,
          send: (one) => library.ask("/api/hooks/github", withCaller(one, { json: {} })),
        },
      ],
      () => 403,
    );
  });

  test("documents and health are open to every caller", async () => {
    const paths = Object.keys({
      ...documentRoutes(library.ctx),
      ...healthRoutes(library.ctx),
      ...metricsRoute(library.ctx),
    });
    const rows = paths.map((path) => ({
      ...{ name: path, needs: plainScopes[path] ?? ("public" as const), success: 200 },
      send: ({ token }: ScopeCaller) => library.ask(path, token ? { token } : {}),
    }));
    await expectAccess(rows, bearerRefusal);
  });
});

test("every operation and every tool has a request", () => {
  expect(httpOperations.map(({ id }) => id).filter((id) => !requests[id])).toEqual([]);
  expect(toolOperations.map(({ tool }) => tool.name).filter((name) => !toolArguments[name])).toEqual([]);
});

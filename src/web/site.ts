/**
 * Mounts the pages on the app: routes, sessions, forms, error pages. The renderer is imported on the first
 * request.
 */
import type { Elysia } from "elysia";
import type { Context } from "../api/context.ts";
import { type Connection, clientAddress, isRefusal, pathOf } from "../api/http/api-middleware.ts";
import { signInLimit } from "../api/http/limits/page-limits.ts";
import { readFileForm, readForm } from "../api/http/operations/form.ts";
import { requireDecoded } from "../api/http/operations/input.ts";
import { mountOperations } from "../api/http/operations/routes.ts";
import { problemResponse } from "../api/http/problem-response.ts";
import { requireOurPage, sessionMiddleware } from "../api/http/session-middleware.ts";
import type { Streams } from "../api/http/streams.ts";
import { actionOf } from "../core/audit/action.ts";
import { anonymous } from "../core/auth/caller.ts";
import { type Visitor, visitorFrom } from "../core/auth/session/session.ts";
import { methodNotAllowed, notFound, Problem, type ProblemDocument, type Status } from "../core/problem.ts";
import { type ActionName, actionNames, emailLinks, type PageName, pageNames, uploadPath } from "./routes.ts";
import { themeFrom } from "./settings/theme.ts";
import type { View } from "./view.ts";

interface RouteInput {
  request: Request;
  server: Connection | null;
  params?: Record<string, string>;
}

/** A visitor without a session; error pages fall back to it. */
const anonymousVisitor: Visitor = { caller: anonymous, csrf: null, begun: null, signedIn: false };

/** @returns the handler for unknown paths (404) */
export function mountSite(
  app: Elysia,
  ctx: Context,
  streams: Streams,
): (request: Request) => Promise<Response> {
  let loading: Promise<typeof import("./site/site.ts")> | undefined;
  // Even for a loaded module `import()` takes a tenth of the time of a page, so its promise is reused.
  const site = () => (loading ??= import("./site/site.ts"));
  const admit = signInLimit(ctx);

  const route = (
    methods: string[],
    path: string,
    work: (routed: RouteInput, view: View) => Promise<Response>,
  ) => {
    const answer = async (routed: RouteInput): Promise<Response> => {
      const { request, params } = routed;
      let view = viewOf(ctx, request, anonymousVisitor, params ?? {});
      try {
        const source = {
          via: "session" as const,
          address: clientAddress(ctx, request, routed.server),
          userAgent: request.headers.get("user-agent") ?? "",
        };
        const visitor = await visitorFrom(ctx, request.headers.get("cookie"));
        view = { ...view, visitor: { ...visitor, caller: { ...visitor.caller, source } } };
        requireDecoded(params ?? {}, request.url);
        if (!methods.includes(request.method)) throw methodNotAllowed(request.method, allowOf(methods));
        return await work(routed, view);
      } catch (error) {
        if (isRefusal(error)) ctx.audit.recordRefusal(actionOf(view.visitor.caller, "page"), error);
        return errorResponse(view, request, error);
      }
    };
    // Destructure: Elysia inspects the handler's source, and with the whole context it parses cookies and
    // copies each response.
    app.all(path, ({ request, server, params }) => answer({ request, server, params }), { parse: "none" });
  };

  /** An error page for browsers, a problem document for everything else. */
  async function errorResponse(view: View, request: Request, error: unknown): Promise<Response> {
    const response = problemResponse(ctx, error, pathOf(request.url));
    if (!request.headers.get("accept")?.includes("text/html")) return response;
    const { status, detail } = (await response.clone().json()) as ProblemDocument & { status: Status };
    return (await site()).errorPage(view, request, new Problem(status, detail ?? "", headersOf(error)));
  }

  const showPage = async (name: PageName, { request }: RouteInput, view: View) =>
    (await site()).showPage(name, view, request);

  async function submitForm(
    name: ActionName,
    { request, server }: RouteInput,
    view: View,
  ): Promise<Response> {
    const form = await readForm(request, view.visitor.signedIn ? null : clientAddress(ctx, request, server));
    requireOurPage(ctx, request, view.visitor, form.get("csrf") ?? null);
    return (await site()).submitForm(name, view, request, form, (isValid) =>
      admit(clientAddress(ctx, request, server), isValid),
    );
  }

  async function submitFile({ request, server }: RouteInput, view: View): Promise<Response> {
    const { csrf, parts } = await readFileForm(request, view.visitor.signedIn);
    requireOurPage(ctx, request, view.visitor, csrf);
    server?.timeout(request, 0); // no idle timeout: ` bodyChunks` ends a stalled upload
    return (await site()).submitFile(view, request, parts);
  }

  const links = new Map(Object.entries(emailLinks));
  const actions = new Map<string, ActionName>(Object.entries(actionNames));
  for (const [path, name] of Object.entries(pageNames)) {
    const action = actions.get(path);
    actions.delete(path);
    const link = links.get(path);
    if (link) {
      route(["GET", "POST"], path, async (routed, view) =>
        routed.request.method === "POST"
          ? (await site()).submitLink(view, routed.request, link)
          : showPage(name, routed, view),
      );
      continue;
    }
    route(action ? ["GET", "POST"] : ["GET"], path, (routed, view) =>
      routed.request.method === "POST" && action
        ? submitForm(action, routed, view)
        : showPage(name, routed, view),
    );
  }
  for (const [path, name] of actions) route(["POST"], path, (routed, view) => submitForm(name, routed, view));
  route(["POST"], uploadPath, submitFile);
  route(["GET"], "/site/*", async ({ request }) => {
    const response = await (await site()).staticFileResponse(pathOf(request.url), request);
    if (!response) throw notFound(`Path not found: ${pathOf(request.url)}`);
    return response;
  });
  mountOperations(app, ctx, sessionMiddleware(ctx), streams, "/web");
  return async (request) => {
    const error = notFound(`Path not found: ${pathOf(request.url)}`);
    const visitor = await visitorFrom(ctx, request.headers.get("cookie")).catch(() => anonymousVisitor);
    // The path is arbitrary text, so it must not become a link on the page.
    const view = viewOf(ctx, request, visitor, {});
    return errorResponse({ ...view, url: new URL("/", ctx.config.siteUrl) }, request, error);
  };
}

const viewOf = (ctx: Context, request: Request, visitor: Visitor, params: Record<string, string>): View => ({
  ctx,
  visitor,
  params,
  theme: themeFrom(ctx.config.siteUrl, request.headers.get("cookie")),
  // Links use the configured site URL, whatever the Host header says.
  url: new URL(
    ctx.config.siteUrl + request.url.slice(request.url.indexOf("/", request.url.indexOf("//") + 2)),
  ),
});

const headersOf = (error: unknown): Record<string, string> => (error instanceof Problem ? error.headers : {});

const allowOf = (methods: string[]): string =>
  methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])).join(", ");

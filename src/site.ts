/**
 * Joins the pages to the shell: who looks, what for, which form came from where. The renderer is loaded for
 * the first of them.
 */
import type { Elysia } from "elysia";
import { actionOf } from "./audit/action.ts";
import { anonymous } from "./auth/caller.ts";
import { type Visitor, visitorFrom } from "./auth/session.ts";
import type { Context } from "./context.ts";
import { type Connection, clientAddress, isRefusal, pathOf } from "./http/api-middleware.ts";
import { readFileForm, readForm } from "./http/form.ts";
import { mountOperations } from "./http/operation-routes.ts";
import { problemResponse } from "./http/problem-response.ts";
import { requireOurPage, sessionMiddleware } from "./http/session-middleware.ts";
import { signInLimit } from "./http/sign-in-limit.ts";
import type { Streams } from "./http/streams.ts";
import { notFound, Problem, type ProblemDocument, type Status } from "./problem.ts";
import { type ActionName, actionNames, filePath, type PageName, pageNames } from "./web/routes.ts";
import type { View } from "./web/view.ts";

interface Routed {
  request: Request;
  server: Connection | null;
  params?: Record<string, string>;
}

/** Somebody of whom nothing is known, not even a session: what an error is shown to. */
const nobody: Visitor = { caller: anonymous, csrf: null, signedIn: false };

/** @returns the answer to a path that nothing is at */
export function mountSite(
  app: Elysia,
  ctx: Context,
  streams: Streams,
): (request: Request) => Promise<Response> {
  let loading: Promise<typeof import("./web/site.tsx")> | undefined;
  // To ask for a module that is there takes a tenth of a page.
  const site = () => (loading ??= import("./web/site.tsx"));
  const admit = signInLimit(ctx);

  const route = (
    methods: string[],
    path: string,
    work: (routed: Routed, view: View) => Promise<Response>,
  ) => {
    const answer = async (routed: Routed): Promise<Response> => {
      const { request, params } = routed;
      let view = viewOf(ctx, request, nobody, params ?? {});
      try {
        const source = { via: "session" as const, address: clientAddress(ctx, request, routed.server) };
        const visitor = await visitorFrom(ctx, request.headers.get("cookie"));
        view = { ...view, visitor: { ...visitor, caller: { ...visitor.caller, source } } };
        if (!methods.includes(request.method)) throw notAllowed(request, methods);
        return await work(routed, view);
      } catch (error) {
        if (isRefusal(error)) ctx.audit.recordRefusal(actionOf(view.visitor.caller, "page"), error);
        return failure(view, request, error);
      }
    };
    // Named one by one, or Elysia reads cookies for it and makes each answer anew.
    app.all(path, ({ request, server, params }) => answer({ request, server, params }), { parse: "none" });
  };

  /** For a browser a page, for everything else the problem document. */
  async function failure(view: View, request: Request, error: unknown): Promise<Response> {
    const response = problemResponse(ctx, error, pathOf(request.url));
    if (!request.headers.get("accept")?.includes("text/html")) return response;
    const { status, detail } = (await response.clone().json()) as ProblemDocument & { status: Status };
    return (await site()).failedPage(view, request, new Problem(status, detail ?? "", givenBy(error)));
  }

  const showPage = async (name: PageName, { request }: Routed, view: View) =>
    (await site()).showPage(name, view, request);

  async function takeForm(name: ActionName, { request, server }: Routed, view: View): Promise<Response> {
    const form = await readForm(request, view.visitor.signedIn ? null : clientAddress(ctx, request, server));
    requireOurPage(ctx, request, view.visitor, form.get("csrf") ?? null);
    return (await site()).takeForm(name, view, request, form, (isValid) =>
      admit(clientAddress(ctx, request, server), isValid),
    );
  }

  async function takeFile({ request, server }: Routed, view: View): Promise<Response> {
    const { csrf, parts } = await readFileForm(request, view.visitor.signedIn);
    requireOurPage(ctx, request, view.visitor, csrf);
    server?.timeout(request, 0); // as long as it moves, see bodyChunks
    return (await site()).takeFile(view, request, parts);
  }

  const actions = new Map<string, ActionName>(Object.entries(actionNames));
  for (const [path, name] of Object.entries(pageNames)) {
    const action = actions.get(path);
    actions.delete(path);
    route(action ? ["GET", "POST"] : ["GET"], path, (routed, view) =>
      routed.request.method === "POST" && action
        ? takeForm(action, routed, view)
        : showPage(name, routed, view),
    );
  }
  for (const [path, name] of actions) route(["POST"], path, (routed, view) => takeForm(name, routed, view));
  route(["POST"], filePath, takeFile);
  route(["GET"], "/site/*", async ({ request }) => {
    const response = await (await site()).assetResponse(pathOf(request.url), request);
    if (!response) throw notFound(`Path not found: ${pathOf(request.url)}`);
    return response;
  });
  mountOperations(app, ctx, sessionMiddleware(ctx), streams, "/web");
  return async (request) => {
    const error = notFound(`Path not found: ${pathOf(request.url)}`);
    const visitor = await visitorFrom(ctx, request.headers.get("cookie")).catch(() => nobody);
    // The path is not ours, so no link is made of it.
    return failure({ ctx, visitor, params: {}, url: new URL("/", ctx.config.siteUrl) }, request, error);
  };
}

const viewOf = (ctx: Context, request: Request, visitor: Visitor, params: Record<string, string>): View => ({
  ...{ ctx, visitor, params },
  // Links of a page are those of the site, whatever Host the request came under.
  url: new URL(
    request.url.slice(request.url.indexOf("/", request.url.indexOf("//") + 2)),
    ctx.config.siteUrl,
  ),
});

const givenBy = (error: unknown): Record<string, string> => (error instanceof Problem ? error.headers : {});

const notAllowed = (request: Request, methods: string[]) => {
  const allow = methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])).join(", ");
  return new Problem(405, `${request.method} is not allowed for this path. Allowed: ${allow}.`, { allow });
};

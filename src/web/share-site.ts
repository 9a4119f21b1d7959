/**
 * Mounts the pages behind share links below `/s`. A link is `/s/<secret>`; opening it leads to `/s/<id>`,
 * with a cookie. Errors are pages too, as a problem document would repeat the path, and so the secret.
 */
import type { Elysia } from "elysia";
import type { Context } from "../api/context.ts";
import { isOwnOrigin, requireServedHost } from "../api/http/allowed-hosts.ts";
import { type Connection, clientAddress, isRefusal, pathOf } from "../api/http/api-middleware.ts";
import { failedLinkLimit, shareFormLimit, shareVisitLimit } from "../api/http/limits/page-limits.ts";
import { readForm } from "../api/http/operations/form.ts";
import { actionOf } from "../core/audit/action.ts";
import type { Action } from "../core/audit/port.ts";
import { anonymous } from "../core/auth/caller.ts";
import { constantTimeEqual } from "../core/lib/constant-time.ts";
import { forbidden, Problem } from "../core/problem.ts";
import { hasRight, nameCookie } from "../library/shares/guest.ts";
import { isShareSecret, redactShareSecret, sharePath } from "../library/shares/secret.ts";
import {
  downloadShared,
  findOpenShare,
  findShare,
  NoShare,
  type OpenShare,
  openShare,
  recordView,
} from "../library/shares/visits.ts";

/** A request below `/s`. */
interface ShareRequest {
  request: Request;
  address: string;
  path: string;
}

export function mountShares(app: Elysia, ctx: Context): void {
  let loading: Promise<typeof import("./shares/guest-pages.tsx")> | undefined;
  const pages = () => (loading ??= import("./shares/guest-pages.tsx"));
  const countFailure = failedLinkLimit(ctx);
  const countForm = shareFormLimit(ctx);
  const countVisit = shareVisitLimit(ctx);

  async function respond(request: Request, connection: Connection | null): Promise<Response> {
    const incoming = {
      request,
      address: clientAddress(ctx, request, connection),
      path: pathOf(request.url),
    };
    try {
      return await answer(incoming);
    } catch (error) {
      if (!(error instanceof NoShare)) return errorPage(error, incoming);
      return countFailure(incoming.address).then(
        () => errorPage(error, incoming),
        (tooMany) => errorPage(tooMany, incoming),
      );
    }
  }

  async function errorPage(error: unknown, { address, path }: ShareRequest): Promise<Response> {
    const { noSharePage, shareProblem } = await pages();
    if (error instanceof NoShare) return noSharePage(ctx.config);
    if (isRefusal(error)) ctx.audit.recordRefusal(guestAction(address), error);
    if (error instanceof Problem && error.status !== 503) return shareProblem(ctx.config, error);
    const cause = error instanceof Error ? (error.stack ?? error.message) : String(error);
    ctx.log("error", "a share link failed", { path: redactShareSecret(path), error: cause });
    return shareProblem(
      ctx.config,
      error instanceof Problem ? error : new Problem(500, "Something went wrong. Try again later."),
    );
  }

  async function answer(incoming: ShareRequest): Promise<Response> {
    const [key = "", action = "", ...rest] = incoming.path.slice(sharePath.length + 1).split("/");
    const isPost = incoming.request.method === "POST";
    if (isPost) requireOwnOrigin(ctx, incoming.request);
    if (rest.length > 0) throw new NoShare();
    if (isShareSecret(key)) {
      if (action !== "" || !(isPost || incoming.request.method === "GET")) throw new NoShare();
      return isPost ? openLink(incoming, key) : showLink(incoming, key);
    }
    const route = routes[`${incoming.request.method} ${action}`];
    const cookies = incoming.request.headers.get("cookie");
    const open = route && (await findOpenShare(ctx, key, cookies, incoming.address));
    if (!open) throw new NoShare();
    return route(incoming, open);
  }

  async function showLink({ path }: ShareRequest, secret: string): Promise<Response> {
    const live = await findShare(ctx, secret);
    if (!live) throw new NoShare();
    return (await pages()).landingPage(ctx.config, { path, hasPassphrase: live.share.passphrase !== null });
  }

  async function openLink({ request, address, path }: ShareRequest, secret: string): Promise<Response> {
    const form = await readForm(request, address);
    const live = await findShare(ctx, secret);
    if (!live) throw new NoShare();
    await countVisit(live.share.id, address);
    const { landingPage, redirectTo } = await pages();
    const cookie = await openShare(ctx, live, form.get("passphrase") ?? "", address);
    if (cookie !== null) return redirectTo(`${sharePath}/${live.share.id}`, cookie);
    const why = "This passphrase is wrong. Check it with the person who sent you the link.";
    const { id: target, project } = live.share;
    ctx.audit.recordRefusal({ ...guestAction(address), target, project }, forbidden(why));
    return landingPage(ctx.config, { path, hasPassphrase: true, why, status: 403 });
  }

  const routes: Record<string, (incoming: ShareRequest, open: OpenShare) => Promise<Response>> = {
    async "GET "({ request, address }, open) {
      const { deskPage, guestView, partsParameter, shareResponse } = await pages();
      const view = guestView(ctx, open, new URL(request.url));
      // Another page of the list of annotations is no view of its own.
      if (!view.url.searchParams.has(partsParameter)) {
        await countVisit(open.share.id, address);
        await recordView(ctx, open);
      }
      return shareResponse(ctx.config, await deskPage(view));
    },
    async "GET download"({ address }, open) {
      await countVisit(open.share.id, address);
      const url = await downloadShared(ctx, open);
      if (url === null) throw new NoShare();
      return (await pages()).redirectTo(url);
    },
    "POST verdict": (incoming, open) => submitForm("verdict", incoming, open),
    "POST comment": (incoming, open) => submitForm("comment", incoming, open),
  };

  async function submitForm(
    kind: "verdict" | "comment",
    { request, address }: ShareRequest,
    open: OpenShare,
  ): Promise<Response> {
    if (!hasRight(open.share, kind)) throw new NoShare();
    const form = await readForm(request, address);
    requireCsrf(open, form);
    await countForm(open.share.id);
    const { guestView, redirectTo, shareResponse, submitAnnotation, submitReview } = await pages();
    const name = form.get("name") ?? open.name;
    const view = guestView(ctx, { ...open, name }, new URL(request.url));
    const result = await (kind === "verdict" ? submitReview : submitAnnotation)(view, form);
    return typeof result === "string"
      ? redirectTo(result, nameCookie(ctx, open.share, name))
      : shareResponse(ctx.config, result);
  }

  // Destructure: see `route` in site.ts.
  const handle = ({ request, server }: { request: Request; server: Connection | null }) =>
    respond(request, server);
  app.all(`${sharePath}/*`, handle, { parse: "none" });
}

/** The audit action of a person with a share link. */
const guestAction = (address: string): Action =>
  actionOf({ ...anonymous, source: { via: "share", address } }, "share");

/** @throws {Problem} 403 unless the form was sent by a page of this site */
function requireOwnOrigin(ctx: Context, request: Request): void {
  requireServedHost(request, ctx.config);
  if (!isOwnOrigin(request, ctx.config)) throw forbidden("This form was submitted from another site.");
}

function requireCsrf({ session }: OpenShare, form: ReadonlyMap<string, string>): void {
  if (!constantTimeEqual(session.csrf, form.get("csrf") ?? ""))
    throw forbidden("Your session changed. Open the link again.");
}

/**
 * Mounts the pages behind share links below `/s`. A link is `/s/<secret>`; opening it leads to `/s/<id>`,
 * with a cookie. Errors are pages too, as a problem document would repeat the path, and so the secret.
 */
import type { Elysia } from "elysia";
import type { Context } from "../api/context.ts";
import { isOwnOrigin, requireServedHost } from "../api/http/allowed-hosts.ts";
import { type Connection, clientAddress, isRefusal, pathOf } from "../api/http/api-middleware.ts";
import {
  failedLinkLimit,
  shareFormLimit,
  sharePictureLimit,
  shareRefreshLimit,
  shareVisitLimit,
} from "../api/http/limits/page-limits.ts";
import { readForm } from "../api/http/operations/form.ts";
import { actionOf } from "../core/audit/action.ts";
import type { Action } from "../core/audit/port.ts";
import { anonymous } from "../core/auth/caller.ts";
import { constantTimeEqual } from "../core/lib/constant-time.ts";
import { forbidden, Problem } from "../core/problem.ts";
import { hasRight, nameCookie, recipientName } from "../library/shares/guest.ts";
import type { ShareRow } from "../library/shares/rows.ts";
import { isShareSecret, redactShareSecret, sharePath } from "../library/shares/secret.ts";
import { sharedItems } from "../library/shares/subject.ts";
import {
  chooseAsset,
  downloadShared,
  findShare,
  findVisitor,
  NoShare,
  type OpenShare,
  openShare,
  recordView,
  type ShareVisitor,
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
  const countRefresh = shareRefreshLimit(ctx);
  const countPicture = sharePictureLimit(ctx);

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
    const visitor = route && (await findVisitor(ctx, key, cookies, incoming.address));
    if (!visitor) throw new NoShare();
    return route(incoming, visitor);
  }

  async function showLink({ path }: ShareRequest, secret: string): Promise<Response> {
    const share = await findShare(ctx, secret);
    if (!share) throw new NoShare();
    return (await pages()).landingPage(ctx.config, { path, ...landingOf(share) });
  }

  async function openLink({ request, address, path }: ShareRequest, secret: string): Promise<Response> {
    const form = await readForm(request, address);
    const share = await findShare(ctx, secret);
    if (!share) throw new NoShare();
    await countVisit(share.id, address);
    const { landingPage, redirectTo } = await pages();
    const cookie = await openShare(ctx, share, form.get("passphrase") ?? "", address);
    if (cookie !== null) return redirectTo(`${sharePath}/${share.id}`, cookie);
    const why = "This passphrase is wrong. Check it with the person who sent you the link.";
    const { id: target, project } = share;
    ctx.audit.recordRefusal({ ...guestAction(address), target, project }, forbidden(why));
    return landingPage(ctx.config, { path, ...landingOf(share), why, status: 403 });
  }

  /** The work on the asset that the URL names, or the page for a visitor whose share does not show it now. */
  async function withAsset(
    { request }: ShareRequest,
    visitor: ShareVisitor,
    work: (open: OpenShare, url: URL) => Promise<Response>,
  ): Promise<Response> {
    const url = new URL(request.url);
    const { assetParameter, emptyQueuePage, notSharedPage, shareResponse } = await pages();
    const named = url.searchParams.get(assetParameter);
    const open = await chooseAsset(ctx, visitor, named);
    if (open) return work(open, url);
    if (visitor.share.subject === "asset") throw new NoShare();
    const isEmpty = named === null && request.method === "GET";
    return shareResponse(ctx.config, isEmpty ? emptyQueuePage(ctx, visitor, url) : notSharedPage(visitor));
  }

  const routes: Record<string, (incoming: ShareRequest, visitor: ShareVisitor) => Promise<Response>> = {
    "GET ": (incoming, visitor) =>
      withAsset(incoming, visitor, async (open, url) => {
        const { deskPage, guestView, partsParameter, shareResponse } = await pages();
        const view = guestView(ctx, open, url);
        // Another page of the list of annotations is no view of its own.
        if (!view.url.searchParams.has(partsParameter)) {
          await countVisit(open.share.id, incoming.address);
          await recordView(ctx, open);
        }
        return shareResponse(ctx.config, await deskPage(view));
      }),
    async "GET queue"({ request, address }, { share }) {
      await countRefresh(share.id, address);
      const { assetParameter, queuePart, shareResponse } = await pages();
      const current = new URL(request.url).searchParams.get(assetParameter);
      return shareResponse(ctx.config, queuePart(ctx, share, await sharedItems(ctx, share), current));
    },
    "GET picture": (incoming, visitor) =>
      withAsset(incoming, visitor, async (open, url) => {
        await countPicture(open.share.id, incoming.address);
        const { drawnPage, guestView } = await pages();
        return drawnPage(guestView(ctx, open, url));
      }),
    "GET download": (incoming, visitor) =>
      withAsset(incoming, visitor, async (open) => {
        await countVisit(open.share.id, incoming.address);
        const url = await downloadShared(ctx, open);
        if (url === null) throw new NoShare();
        return (await pages()).redirectTo(url);
      }),
    "POST verdict": (incoming, visitor) => submitForm("verdict", incoming, visitor),
    "POST comment": (incoming, visitor) => submitForm("comment", incoming, visitor),
  };

  async function submitForm(
    kind: "verdict" | "comment",
    incoming: ShareRequest,
    visitor: ShareVisitor,
  ): Promise<Response> {
    if (!hasRight(visitor.share, kind)) throw new NoShare();
    const form = await readForm(incoming.request, incoming.address);
    requireCsrf(visitor, form);
    await countForm(visitor.share.id);
    return withAsset(incoming, visitor, async (open, url) => {
      const { guestView, redirectTo, shareResponse, submitAnnotation, submitReview } = await pages();
      const name = recipientName(open.share) ?? form.get("name") ?? open.name;
      const view = guestView(ctx, { ...open, name }, url);
      const result = await (kind === "verdict" ? submitReview : submitAnnotation)(view, form);
      return typeof result === "string"
        ? redirectTo(result, nameCookie(ctx, open.share, name))
        : shareResponse(ctx.config, result);
    });
  }

  // Destructure: see `route` in site.ts.
  const handle = ({ request, server }: { request: Request; server: Connection | null }) =>
    respond(request, server);
  app.all(`${sharePath}/*`, handle, { parse: "none" });
}

const landingOf = ({ passphrase, subject }: ShareRow) => ({
  hasPassphrase: passphrase !== null,
  isMany: subject !== "asset",
});

/** The audit action of a person with a share link. */
const guestAction = (address: string): Action =>
  actionOf({ ...anonymous, source: { via: "share", address } }, "share");

/** @throws {Problem} 403 unless the form was sent by a page of this site */
function requireOwnOrigin(ctx: Context, request: Request): void {
  requireServedHost(request, ctx.config);
  if (!isOwnOrigin(request, ctx.config)) throw forbidden("This form was submitted from another site.");
}

function requireCsrf({ session }: ShareVisitor, form: ReadonlyMap<string, string>): void {
  if (!constantTimeEqual(session.csrf, form.get("csrf") ?? ""))
    throw forbidden("Your session changed. Open the link again.");
}

/** The way to an identity provider and back. */
import { actionOf } from "../../core/audit/action.ts";
import type { OidcConfig } from "../../core/auth/oidc/config.ts";
import { beginSignIn, finishSignIn } from "../../core/auth/oidc/sign-in.ts";
import { providerSignOutUrl } from "../../core/auth/oidc/sign-out.ts";
import { notFound, Problem } from "../../core/problem.ts";
import { seeOther } from "../site/see-other.ts";
import type { Page, View } from "../view.ts";
import { localPath, signInPage } from "./sign-in-page.tsx";

function requireProvider({ ctx: { config } }: View): OidcConfig {
  if (!config.oidc) throw notFound("People sign in here with a token or a link.");
  return config.oidc;
}

/** Sends the browser to the provider: a link, as a form may not lead to another site. */
export async function beginPage(view: View): Promise<Response> {
  const oidc = requireProvider(view);
  const begun = await beginSignIn(view.ctx, oidc, localPath(view.url.searchParams.get("next")));
  return seeOther(begun.location, { "set-cookie": begun.cookie });
}

/** Where the provider sends it back to. */
export async function finishPage(view: View): Promise<Page | Response> {
  const { ctx, visitor, url } = view;
  const oidc = requireProvider(view);
  const before = visitor.caller.session ?? visitor.expired?.hash;
  try {
    const signed = await finishSignIn(ctx, oidc, {
      url,
      begun: visitor.begun,
      before,
      userAgent: visitor.caller.source?.userAgent,
    });
    ctx.audit.recordAction({ ...actionOf(signed.caller, "signIn"), via: "session", target: oidc.label });
    const response = seeOther(signed.next, { "set-cookie": signed.cookie });
    response.headers.append("set-cookie", signed.forget);
    return response;
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 401) throw error;
    ctx.audit.recordRefusal(actionOf(visitor.caller, "signIn"), error);
    // Without the code of the provider, which it has used.
    const clean = { ...view, url: new URL("/sign-in", ctx.config.siteUrl) };
    return signInPage(clean, error.detail, 401);
  }
}

/** Ends the session at the provider, too, if it offers that. */
export async function providerSignOutPage(view: View): Promise<Page | Response> {
  const oidc = requireProvider(view);
  const location = await providerSignOutUrl(view.ctx, oidc, view.visitor.begun);
  if (location) return seeOther(location);
  return signInPage(view, `${oidc.label} offers no sign-out to svc. Sign out on its own site.`, 200);
}

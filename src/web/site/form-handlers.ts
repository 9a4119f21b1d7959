/** What the forms of the pages do. */
import { actionOf } from "../../core/audit/action.ts";
import type { Caller } from "../../core/auth/caller.ts";
import { signIn, signOut } from "../../core/auth/session.ts";
import { linkParameter, signInWithLink } from "../../core/auth/sign-in-link.ts";
import { Problem } from "../../core/problem.ts";
import { submitAnnotation } from "../annotations/form/submit-annotation.ts";
import { submitBulkReview } from "../bulk-review/submit-bulk-review.ts";
import { submitMetadataRemoval } from "../desk/provenance.tsx";
import { submitPublish } from "../desk/review/review-panel.tsx";
import { submitReview, submitReviewRequest } from "../desk/review/submit-review.ts";
import { submitView, submitViewRemoval } from "../lists/saved-views.tsx";
import { submitPreference } from "../memory/preferences.tsx";
import {
  submitAnchors,
  submitCheck,
  submitDecision,
  submitRetirement,
  submitRewording,
  submitStanding,
} from "../memory/submit-decision.ts";
import { submitRemoval } from "../removals/removal-page.tsx";
import { submitTakeBack } from "../removals/take-back-page.tsx";
import type { ActionName } from "../routes.ts";
import { submitOffboarding } from "../settings/offboard.tsx";
import { submitOtherSessionsEnd, submitSessionEnd } from "../settings/sessions.tsx";
import {
  submitDigest,
  submitDigestRemoval,
  submitDigestSend,
  submitNewWebhook,
  submitOwnDigest,
  submitOwnDigestRemoval,
  submitOwnDigestSend,
  submitPause,
  submitProjectChange,
  submitProjectLink,
  submitReplay,
  submitResume,
  submitRotation,
  submitTest,
  submitTestMail,
  submitWebhookRemoval,
} from "../settings/submit.ts";
import {
  submitOwner,
  submitReviewRole,
  submitRevocation,
  submitSignInLink,
} from "../settings/submit-token.ts";
import { submitTheme } from "../settings/theme.ts";
import { submitLinksRevocation } from "../settings/tokens.tsx";
import {
  submitNewShare,
  submitProjectShare,
  submitShareRenewal,
  submitShareRevocation,
  submitShareUpdate,
} from "../shares/submit.tsx";
import { invalidLink, localPath, signInPage, submitRenewal } from "../sign-in/sign-in-page.tsx";
import { submitDone, submitSnooze } from "../today/submit-marks.ts";
import { submitRead } from "../today/today.tsx";
import { submitBudget, submitBudgetRemoval } from "../usage/submit-budget.ts";
import { submitVariantSet } from "../variant-sets/submit-set.ts";
import { submitChecklist, submitPolicy, submitRepeatPolicy } from "../verdicts/submit-settings.ts";
import type { Page, View } from "../view.ts";
import { seeOther } from "./see-other.ts";

const invalidToken = "This token is not valid. It may have been revoked or have expired.";

export type Admit = (isValid: boolean) => Promise<void>;

/** The handlers of the forms by name: each answers with a page or a redirect. */
export const formHandlers: Record<
  ActionName,
  (view: View, form: Map<string, string>, admit: Admit) => Promise<Page | Response>
> = {
  async signIn(view, form, admit) {
    const { ctx, visitor } = view;
    const before = visitor.caller.session ?? visitor.expired?.hash;
    const options = { before, userAgent: visitor.caller.source?.userAgent, admit };
    const secret = form.get(linkParameter);
    const signed =
      secret === undefined
        ? await signIn(ctx, form.get("token")?.trim() ?? "", options)
        : await signInWithLink(ctx, secret, options);
    if (!signed) {
      const why = secret === undefined ? invalidToken : invalidLink;
      ctx.audit.recordRefusal(actionOf(visitor.caller, "signIn"), new Problem(401, why));
      return signInPage(view, why, 401);
    }
    // A link is audited in the transaction that uses it.
    if (secret === undefined) ctx.audit.recordAction(sessionAction(signed.caller, "signIn"));
    return seeOther(localPath(view.url.searchParams.get("next")), { "set-cookie": signed.cookie });
  },
  markAsRead: async (view, form) => seeOther(await submitRead(view, form)),
  markInboxDone: async (view, form) => seeOther(await submitDone(view, form)),
  snoozeInbox: async (view, form) => seeOther(await submitSnooze(view, form)),
  review: async (view, form) => pageOrRedirect(await submitReview(view, form)),
  bulkReview: async (view, form) => pageOrRedirect(await submitBulkReview(view, form)),
  reviewVariantSet: async (view, form) => pageOrRedirect(await submitVariantSet(view, form)),
  annotate: async (view, form) => pageOrRedirect(await submitAnnotation(view, form)),
  requestReview: async (view, form) => pageOrRedirect(await submitReviewRequest(view, form)),
  setPreference: async (view, form) => seeOther(await submitPreference(view, form)),
  recordDecision: async (view, form) => pageOrRedirect(await submitDecision(view, form)),
  supersedeDecision: async (view, form) => pageOrRedirect(await submitDecision(view, form)),
  rewordDecision: async (view, form) => pageOrRedirect(await submitRewording(view, form)),
  setAnchors: async (view, form) => pageOrRedirect(await submitAnchors(view, form)),
  saveCheck: async (view, form) => pageOrRedirect(await submitCheck(view, form)),
  retireDecision: async (view, form) => pageOrRedirect(await submitRetirement(view, form)),
  confirmDecision: async (view, form) => pageOrRedirect(await submitStanding(view, form, "confirmed")),
  dropDecision: async (view, form) => pageOrRedirect(await submitStanding(view, form, "dropped")),
  saveView: async (view, form) => pageOrRedirect(await submitView(view, form)),
  removeView: async (view, form) => seeOther(await submitViewRemoval(view, form)),
  setBudget: async (view, form) => pageOrRedirect(await submitBudget(view, form)),
  removeBudget: async (view) => seeOther(await submitBudgetRemoval(view)),
  setReviewPolicy: async (view, form) => pageOrRedirect(await submitPolicy(view, form)),
  setChecklist: async (view, form) => pageOrRedirect(await submitChecklist(view, form)),
  setRepeatPolicy: async (view, form) => seeOther(await submitRepeatPolicy(view, form)),
  publish: async (view) => seeOther(await submitPublish(view)),
  unpublish: async (view, form) => pageOrRedirect(await submitRemoval(view, form, "unpublish")),
  deleteFiles: async (view, form) => pageOrRedirect(await submitRemoval(view, form, "delete-files")),
  takeBack: async (view, form) => pageOrRedirect(await submitTakeBack(view, form)),
  createShare: submitNewShare,
  createProjectShare: submitProjectShare,
  updateShare: async (view, form) => pageOrRedirect(await submitShareUpdate(view, form)),
  renewShare: async (view, form) => pageOrRedirect(await submitShareRenewal(view, form)),
  revokeShare: async (view) => seeOther(await submitShareRevocation(view)),
  removeMetadata: async (view) => seeOther(await submitMetadataRemoval(view)),
  setTheme: async (view, form) => seeOther("/settings", { "set-cookie": submitTheme(view.ctx.config, form) }),
  endSession: async (view) => seeOther(await submitSessionEnd(view)),
  endOtherSessions: async (view) => seeOther(await submitOtherSessionsEnd(view)),
  addOwnDigest: async (view, form) => pageOrRedirect(await submitOwnDigest(view, form)),
  sendOwnDigest: async (view, form) => pageOrRedirect(await submitOwnDigestSend(view, form)),
  removeOwnDigest: async (view, form) => pageOrRedirect(await submitOwnDigestRemoval(view, form)),
  addDigest: async (view, form) => pageOrRedirect(await submitDigest(view, form)),
  sendDigest: async (view, form) => pageOrRedirect(await submitDigestSend(view, form)),
  removeDigest: async (view, form) => pageOrRedirect(await submitDigestRemoval(view, form)),
  sendTestMail: async (view, form) => pageOrRedirect(await submitTestMail(view, form)),
  linkProject: async (view, form) => pageOrRedirect(await submitProjectLink(view, form)),
  changeProject: async (view, form) => pageOrRedirect(await submitProjectChange(view, form)),
  revokeToken: async (view) => pageOrRedirect(await submitRevocation(view)),
  setTokenOwner: async (view, form) => pageOrRedirect(await submitOwner(view, form)),
  setReviewRole: async (view, form) => pageOrRedirect(await submitReviewRole(view, form)),
  revokeSignInLinks: async (view) => seeOther(await submitLinksRevocation(view)),
  createSignInLink: submitSignInLink,
  renewSignInLink: submitRenewal,
  offboard: submitOffboarding,
  addWebhook: async (view, form) => pageOrRedirect(await submitNewWebhook(view, form)),
  rotateWebhook: submitRotation,
  removeWebhook: async (view) => seeOther(await submitWebhookRemoval(view)),
  testWebhook: async (view) => seeOther(await submitTest(view)),
  pauseWebhook: async (view) => seeOther(await submitPause(view)),
  resumeWebhook: async (view) => pageOrRedirect(await submitResume(view)),
  replayWebhook: async (view, form) => pageOrRedirect(await submitReplay(view, form)),
  async signOut({ ctx, visitor }) {
    if (visitor.signedIn) ctx.audit.recordAction(sessionAction(visitor.caller, "signOut"));
    const { cookie, providerCookie } = await signOut(ctx, visitor.caller);
    if (providerCookie === null) return seeOther("/", { "set-cookie": cookie });
    const response = seeOther("/sign-in?left", { "set-cookie": cookie });
    response.headers.append("set-cookie", providerCookie);
    return response;
  },
};

/** The audit action of a signed-in session; its client address is left out. */
const sessionAction = (caller: Caller, what: string) =>
  actionOf({ ...caller, source: { via: "session" } }, what);

/** @param result the URL to redirect to, or a page that shows the form again */
const pageOrRedirect = (result: string | Page): Page | Response =>
  typeof result === "string" ? seeOther(result) : result;

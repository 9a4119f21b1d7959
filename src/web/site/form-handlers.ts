/** What the forms of the pages do. */
import { actionOf } from "../../core/audit/action.ts";
import type { Caller } from "../../core/auth/caller.ts";
import { signIn, signOut } from "../../core/auth/session/session.ts";
import { linkParameter, signInWithLink } from "../../core/auth/session/sign-in-link.ts";
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

type FormHandler = (view: View, form: Map<string, string>, admit: Admit) => Promise<string | Page | Response>;

/** The handlers of the forms by name: each returns the URL to redirect to, or a page. */
export const formHandlers: Record<ActionName, FormHandler> = {
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
  markAsRead: submitRead,
  markInboxDone: submitDone,
  snoozeInbox: submitSnooze,
  review: submitReview,
  bulkReview: submitBulkReview,
  reviewVariantSet: submitVariantSet,
  annotate: submitAnnotation,
  requestReview: submitReviewRequest,
  setPreference: submitPreference,
  recordDecision: submitDecision,
  supersedeDecision: submitDecision,
  rewordDecision: submitRewording,
  setAnchors: submitAnchors,
  saveCheck: submitCheck,
  retireDecision: submitRetirement,
  confirmDecision: (view, form) => submitStanding(view, form, "confirmed"),
  dropDecision: (view, form) => submitStanding(view, form, "dropped"),
  saveView: submitView,
  removeView: submitViewRemoval,
  setBudget: submitBudget,
  removeBudget: submitBudgetRemoval,
  setReviewPolicy: submitPolicy,
  setChecklist: submitChecklist,
  setRepeatPolicy: submitRepeatPolicy,
  publish: submitPublish,
  unpublish: (view, form) => submitRemoval(view, form, "unpublish"),
  deleteFiles: (view, form) => submitRemoval(view, form, "delete-files"),
  takeBack: submitTakeBack,
  createShare: submitNewShare,
  createProjectShare: submitProjectShare,
  updateShare: submitShareUpdate,
  renewShare: submitShareRenewal,
  revokeShare: submitShareRevocation,
  removeMetadata: submitMetadataRemoval,
  setTheme: async (view, form) => seeOther("/settings", { "set-cookie": submitTheme(view.ctx.config, form) }),
  endSession: submitSessionEnd,
  endOtherSessions: submitOtherSessionsEnd,
  addOwnDigest: submitOwnDigest,
  sendOwnDigest: submitOwnDigestSend,
  removeOwnDigest: submitOwnDigestRemoval,
  addDigest: submitDigest,
  sendDigest: submitDigestSend,
  removeDigest: submitDigestRemoval,
  sendTestMail: submitTestMail,
  linkProject: submitProjectLink,
  changeProject: submitProjectChange,
  revokeToken: submitRevocation,
  setTokenOwner: submitOwner,
  setReviewRole: submitReviewRole,
  revokeSignInLinks: submitLinksRevocation,
  createSignInLink: submitSignInLink,
  renewSignInLink: submitRenewal,
  offboard: submitOffboarding,
  addWebhook: submitNewWebhook,
  rotateWebhook: submitRotation,
  removeWebhook: submitWebhookRemoval,
  testWebhook: submitTest,
  pauseWebhook: submitPause,
  resumeWebhook: submitResume,
  replayWebhook: submitReplay,
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

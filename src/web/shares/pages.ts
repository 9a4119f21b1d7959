/** The pages behind share links. They are loaded on first use, as the renderer is large. */
import { shareHeaders } from "./document.tsx";

export { landingPage, noSharePage, shareProblem } from "./link-pages.tsx";
export { noticeOf } from "./notices.ts";
export { isPartOfPage, sharedPage } from "./shared-page.tsx";
export { type FormKind, refusedForm, submitAnnotation, submitVerdict } from "./submit-guest-form.ts";

/** @param cookies `Set-Cookie` values */
export function redirectTo(location: string, ...cookies: string[]): Response {
  const headers = new Headers({ ...shareHeaders, location });
  for (const cookie of cookies) headers.append("set-cookie", cookie);
  return new Response(null, { status: 303, headers });
}

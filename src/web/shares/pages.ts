/** The pages behind share links. They are loaded on first use, as the renderer is large. */
import { shareHeaders } from "./document.tsx";

export { refusedForm, submitComment, submitVerdict } from "./forms.ts";
export { landingPage, noSharePage, shareProblem } from "./link-pages.tsx";
export { sharedPage } from "./shared-page.tsx";

export const redirectTo = (location: string, headers: Record<string, string> = {}): Response =>
  new Response(null, { status: 303, headers: { ...shareHeaders, location, ...headers } });

const notices: Record<string, string> = {
  verdict: "Thank you. Your verdict was recorded.",
  comment: "Thank you. Your comment was recorded.",
};

/** What the page says after a form was sent, named in its URL. */
export function noticeOf(url: string): { notice?: string } {
  const done = new URL(url).searchParams.get("done") ?? "";
  const notice = Object.hasOwn(notices, done) ? notices[done] : undefined;
  return notice === undefined ? {} : { notice };
}

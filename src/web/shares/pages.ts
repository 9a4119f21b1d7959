/** The pages behind share links. They are loaded on first use, as the renderer is large. */
import { shareHeaders } from "./document.tsx";

export { landingPage, noSharePage, shareProblem } from "./link-pages.tsx";
export { sharedPage } from "./shared-page.tsx";
export { refusedVerdict, submitVerdict } from "./verdict-form.tsx";

export const redirectTo = (location: string, headers: Record<string, string> = {}): Response =>
  new Response(null, { status: 303, headers: { ...shareHeaders, location, ...headers } });

/** What the page says after a form was sent, named in its URL. */
export const noticeOf = (url: string): { notice?: string } =>
  new URL(url).searchParams.get("done") === "verdict"
    ? { notice: "Thank you. Your verdict was recorded." }
    : {};

/** The responses below `/s`. They are loaded on first use, as the renderer is large. */
import type { Config } from "../../core/config.ts";
import { type Problem, statuses } from "../../core/problem.ts";
import { renderGuestPage } from "../document.tsx";
import { Notice } from "../notice.tsx";
import { contentSecurityPolicy } from "../site/page-response.ts";
import type { Page } from "../view.ts";

export { submitAnnotation } from "../annotations/form/submit-annotation.ts";
export { partsParameter } from "../annotations/list-pages.tsx";
export { drawnPage } from "../assets/drawn/drawn-page.tsx";
export { deskPage } from "../desk/desk.tsx";
export { guestView } from "../desk/guest.tsx";
export { emptyQueuePage, notSharedPage, queuePart } from "../desk/guest-queue.tsx";
export { assetParameter } from "../desk/guest-versions.tsx";
export { submitReview } from "../desk/review/submit-review.ts";

/** The headers of every answer below `/s`, also of those without a page. */
const shareHeaders = {
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
  "x-robots-tag": "noindex",
  "x-content-type-options": "nosniff",
};

export const shareResponse = (
  config: Config,
  page: Omit<Page, "navEntry">,
  headers: Record<string, string> = {},
): Response =>
  new Response(renderGuestPage({ ...page, navEntry: null }), {
    status: page.status ?? 200,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": contentSecurityPolicy(config, page.connectOrigins ?? []),
      ...shareHeaders,
      ...headers,
    },
  });

/** @param cookies `Set-Cookie` values */
export function redirectTo(location: string, ...cookies: string[]): Response {
  const headers = new Headers({ ...shareHeaders, location });
  for (const cookie of cookies) headers.append("set-cookie", cookie);
  return new Response(null, { status: 303, headers });
}

/**
 * The answer for a link that is unknown, expired or revoked, or whose creator may not share any more, and for
 * a share that this browser has not opened: the same in every byte.
 */
export const noSharePage = (config: Config): Response =>
  shareResponse(config, {
    title: "Link not valid",
    status: 404,
    body: (
      <div class="narrow">
        <h1>This link is not valid</h1>
        <p>
          It may have expired or been revoked. If you had it open, open the link again from where you got it,
          or ask the person who sent it for a new one.
        </p>
      </div>
    ),
  });

/** An error on the way. Nothing of it names the link. */
export const shareProblem = (config: Config, { status, detail, headers }: Problem): Response =>
  shareResponse(
    config,
    {
      title: statuses[status][0],
      status,
      body: (
        <div class="narrow">
          <h1>{statuses[status][0]}</h1>
          <Notice text={detail} />
        </div>
      ),
    },
    headers,
  );

interface LandingProps {
  /** The path that the form is posted to. */
  path: string;
  hasPassphrase: boolean;
  /** Whether it shows a queue or a set. */
  isMany: boolean;
  why?: string;
  status?: number;
}

/**
 * What a link shows before the click: chats and mail scanners fetch links to preview them, so there is no
 * title and no image, and nothing is counted.
 */
export const landingPage = (
  config: Config,
  { path, hasPassphrase, isMany, why, status }: LandingProps,
): Response =>
  shareResponse(config, {
    title: isMany ? "Shared files" : "Shared file",
    ...(status && { status }),
    body: (
      <div class="narrow">
        <div>
          <h1>{isMany ? "Files were shared with you" : "A file was shared with you"}</h1>
          <p class="soft">
            Opening it is recorded for the team that shared it, with part of your IP address.
          </p>
        </div>
        <Notice text={why} />
        <form method="post" action={path} class="stack panel">
          {hasPassphrase && (
            <label>
              Passphrase
              <input name="passphrase" type="password" autocomplete="off" required maxLength={256} />
            </label>
          )}
          <button class="primary" type="submit">
            Open
          </button>
        </form>
      </div>
    ),
  });

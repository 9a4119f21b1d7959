/** @jsxImportSource preact */
/** The page behind a share link, which shows nothing of the asset, and the one for links that do not work. */
import type { Config } from "../../core/config.ts";
import { type Problem, statuses } from "../../core/problem.ts";
import { shareResponse } from "./document.tsx";

/**
 * The answer for a link that is unknown, expired or revoked, or whose creator may not share any more, and for
 * a share that this browser has not opened: the same in every byte.
 */
export const noSharePage = (config: Config): Response =>
  shareResponse(config, {
    title: "Link not valid",
    status: 404,
    children: (
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
  shareResponse(config, {
    title: statuses[status][0],
    status,
    headers,
    children: (
      <div class="narrow">
        <h1>{statuses[status][0]}</h1>
        <p class="notice" role="alert">
          {detail}
        </p>
      </div>
    ),
  });

interface LandingProps {
  /** The path that the form is posted to. */
  path: string;
  hasPassphrase: boolean;
  why?: string;
  status?: number;
}

/**
 * What a link shows before the click: chats and mail scanners fetch links to preview them, so there is no
 * title and no image, and nothing is counted.
 */
export const landingPage = (config: Config, { path, hasPassphrase, why, status }: LandingProps): Response =>
  shareResponse(config, {
    title: "Shared file",
    ...(status && { status }),
    children: (
      <div class="narrow">
        <div>
          <h1>A file was shared with you</h1>
          <p class="soft">
            Opening it is recorded for the team that shared it, with part of your IP address.
          </p>
        </div>
        {why && (
          <p class="notice" role="alert">
            {why}
          </p>
        )}
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

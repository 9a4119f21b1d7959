/** @jsxImportSource preact */
/** The home page. */

import type { FeedPage } from "../../feed/schema.ts";
import { getFeed } from "../../operations/feed.ts";
import { loadSetup, type Setup } from "../../projects/setup.ts";
import { feedParameters } from "../feed/feed.tsx";
import { callOperation, type Page, type View } from "../view.ts";
import { Checklist } from "../welcome/checklist.tsx";

export async function todayPage(view: View): Promise<Page | Response> {
  if (hasFeedParameter(view.url)) return redirectToFeed(view.url);
  const page = await callOperation<FeedPage>(view, getFeed, { limit: 50 });
  const setup = await loadSetupIfNew(view, page);
  const body = (
    <>
      <div class="head">
        <h1>Today</h1>
      </div>
      {setup && <Checklist view={view} setup={setup} />}
      <p>
        <a href="/feed">All events</a>
      </p>
    </>
  );
  return { title: "Today", navEntry: "today", body };
}

/** Whether a URL is of the time when the feed was the home page. */
const hasFeedParameter = ({ searchParams }: URL): boolean =>
  feedParameters.some((name) => searchParams.has(name));

const redirectToFeed = ({ search }: URL): Response =>
  new Response(null, { status: 301, headers: { location: `/feed${search}`, "cache-control": "no-store" } });

/**
 * The setup of a new deployment, to show the checklist: until the first review, or until there is more than a
 * page of events. Null later, and for visitors who are not signed in.
 */
async function loadSetupIfNew({ ctx, visitor }: View, page: FeedPage): Promise<Setup | null> {
  const isNew = page.next_before === null && !page.events.some(({ kind }) => kind === "asset.reviewed");
  return isNew && visitor.signedIn && !ctx.config.mock ? loadSetup(ctx, visitor.caller) : null;
}

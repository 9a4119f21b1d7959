/** Follows the queue or set of a share link: new files appear in the strip, and an empty page turns to the first. */
import { replacePart } from "../page/parts.js";

const refreshMs = 5_000;
const queue = () => document.getElementById("guest-queue");

async function refresh(): Promise<void> {
  const old = queue();
  if (!old?.dataset.live || document.hidden) return;
  const response = await fetch(old.dataset.live, { headers: { accept: "text/html" } });
  // The link was revoked or has expired: its page says so.
  if (response.status === 404) return location.reload();
  if (!response.ok) return;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const fresh = page.getElementById("guest-queue");
  if (!fresh) return;
  if (!document.getElementById("review") && !old.querySelector("li") && fresh.querySelector("li"))
    return location.reload();
  const scrolled = old.querySelector("ol")?.scrollLeft ?? 0;
  replacePart(old, fresh);
  fresh.querySelector("ol")?.scrollTo({ left: scrolled });
}

/** Errors of the network are tried again. */
const follow = () => refresh().catch(() => {});

if (queue()) {
  setInterval(follow, refreshMs);
  document.addEventListener("visibilitychange", follow);
}

/**
 * Notifies of new items in the inbox, if the visitor turned that on. One tab of a browser does so, the holder
 * of a lock: it follows the events even when it is hidden, and asks the server what concerns the visitor, who
 * may have marked it as done or snoozed it elsewhere. Its count stands in the navigation, and on the icon of
 * the installed site.
 */

import { call } from "./session.js";

interface Item {
  id: string;
  title: string;
  action: string;
  url: string;
  project: string | null;
  at: string;
}

/** Whether the visitor turned on notifications, in this browser and with this token. */
const enabledKey = "svc-notify";
/** The items of the last check, as `id at`. */
const knownKey = "svc-notified";
const visitor = document.querySelector(".account .who")?.textContent ?? "";

export const hasNotifications = "Notification" in globalThis && "locks" in navigator;

export const isEnabled = (): boolean =>
  hasNotifications &&
  visitor !== "" &&
  Notification.permission === "granted" &&
  localStorage.getItem(enabledKey) === visitor;

/** Other tabs learn of it by their `storage` event. */
export function setEnabled(on: boolean): void {
  if (on) localStorage.setItem(enabledKey, visitor);
  else localStorage.removeItem(enabledKey);
  localStorage.removeItem(knownKey);
  dispatchEvent(new StorageEvent("storage", { key: enabledKey }));
}

/** Calls `changed` when notifications are turned on or off, in any tab. */
export const onEnabledChange = (changed: () => void): void =>
  addEventListener("storage", (event) => {
    if ((event as StorageEvent).key === enabledKey) changed();
  });

const channelName = "svc-inbox";
const channel = new BroadcastChannel(channelName);

/** Browsers that install sites show a badge on their icon. */
function showOnIcon(count: number): void {
  const shown = count > 0 ? navigator.setAppBadge?.(count) : navigator.clearAppBadge?.();
  shown?.catch(() => {}); // not installed, or not allowed
}

function showCount(count: number): void {
  const element = document.getElementById("inbox-count");
  if (element) {
    const countMax = Number(element.dataset.countMax);
    element.textContent = count === 0 ? "" : count >= countMax ? `${countMax - 1}+` : String(count);
    element.dataset.count = String(count);
  }
  showOnIcon(count);
}

/** Shows a count in all tabs of the site. */
function showInboxCount(count: number): void {
  showCount(count);
  channel.postMessage(count);
}

channel.onmessage = ({ data }) => showCount(Number(data));
showOnIcon(Number(document.getElementById("inbox-count")?.dataset.count ?? 0));

const lockName = "svc-notifier";
/** Events that come within this time are read together. */
const pauseMs = 1_000;
/** Snoozes end, and runs are lost, without an event. */
const pollMs = 60_000;
/** A variant set is told of when nothing was uploaded to it for this long: forty uploads are one notification. */
const settleMs = 10_000;
/** More new items than this are one notification. */
const singleMax = 3;

const shown = new Map<string, Notification>();
let release: (() => void) | undefined;

function follow(): void {
  if (!isEnabled()) release?.();
  if (!isEnabled() || release) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  release = resolve;
  void navigator.locks.request(lockName, async () => {
    if (release !== resolve) return; // turned off while another tab notified
    const stop = startNotifying();
    await promise;
    stop();
  });
  void promise.then(() => {
    release = undefined;
  });
}

function startNotifying(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const check = () => {
    timer = undefined;
    void notifyOfNew().catch(() => {}); // without a connection, the next check does it
  };
  const checkSoon = () => {
    timer ??= setTimeout(check, pauseMs);
  };
  const kinds = document.querySelector<HTMLMetaElement>('meta[name="inbox-kinds"]')?.content ?? "";
  const stream = new EventSource(`/web/feed/stream?${new URLSearchParams({ kind: kinds })}`);
  stream.onopen = checkSoon;
  stream.onmessage = checkSoon;
  const poll = setInterval(checkSoon, pollMs);
  return () => {
    stream.close();
    clearInterval(poll);
    clearTimeout(timer);
  };
}

/** Null before the first check. */
const known = (): string[] | null => JSON.parse(localStorage.getItem(knownKey) ?? "null") as string[] | null;
const keyOf = ({ id, at }: Item): string => `${id} ${at}`;

async function notifyOfNew(): Promise<void> {
  const found = await call<{ items: Item[]; count: number }>("GET", "/inbox");
  showInboxCount(found.count);
  const items = settled(found.items);
  const before = known();
  localStorage.setItem(knownKey, JSON.stringify(items.map(keyOf)));
  for (const [id, notification] of shown) if (!items.some((item) => item.id === id)) notification.close();
  if (before === null) return;
  // When newer ones are done, older ones move into a list of limited length; they are not new.
  const oldest = before.at(-1)?.split(" ").at(-1) ?? "";
  const fresh = items.filter((item) => !before.includes(keyOf(item)) && item.at > oldest);
  if (fresh.length <= singleMax) for (const item of fresh) show(item.id, item.title, bodyOf(item), item.url);
  else show("inbox", `${fresh.length} new items in your inbox`, "", "/");
}

/** When this tab first saw a set as it is now. */
const firstSeen = new Map<string, number>();

/** Without the sets that still grow: the key of an item changes with each upload. */
function settled(items: Item[]): Item[] {
  const now = performance.now();
  const before = known();
  return items.flatMap((item) => {
    const key = keyOf(item);
    if (!item.id.startsWith("review-set-") || before === null || before.includes(key)) return [item];
    const seenAt = firstSeen.get(key) ?? now;
    firstSeen.set(key, seenAt);
    if (now - seenAt >= settleMs) return [item];
    setTimeout(() => void notifyOfNew().catch(() => {}), settleMs);
    return [];
  });
}

const bodyOf = ({ action, project }: Item): string => (project ? `${action} · ${project}` : action);

function show(id: string, title: string, body: string, url: string): void {
  const icon = document.querySelector<HTMLImageElement>(".brand img")?.src;
  const notification = new Notification(title, { body, tag: `svc-${id}`, ...(icon && { icon }) });
  shown.set(id, notification);
  notification.onclose = () => shown.delete(id);
  notification.onclick = () => {
    notification.close();
    const { pathname, search, hash } = new URL(url, location.origin);
    // In a tab of its own: this one may hold a note that is not sent yet.
    open(pathname + search + hash, "svc-inbox");
  };
}

onEnabledChange(follow);
follow();

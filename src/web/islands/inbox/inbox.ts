/** The inbox: follows the events that change it, sends the time zone, and turns notifications on and off. */
import "../page/item-keys.js";
import { followPage } from "../live/live-sections.js";
import { showInTab } from "../page/tab.js";
import { hasNotifications, isEnabled, onEnabledChange, setEnabled } from "./notifications.js";

const { newest = "", kinds = "" } = (document.getElementById("inbox") as HTMLElement).dataset;
/** Snoozes end, and runs are lost, without an event. */
const pollMs = 60_000;

const update = followPage({ filters: { kind: kinds }, newest, pauseMs: 1_000, onUpdate: showInTab });
setInterval(() => void update(), pollMs);

// Sections are replaced, so their forms get the time zone when they are sent.
const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
document.addEventListener("submit", ({ target }) => {
  const field = (target as HTMLFormElement).elements.namedItem("time_zone");
  if (field instanceof HTMLInputElement) field.value = timeZone;
});

const openMenus = () => document.querySelectorAll<HTMLDetailsElement>("details.snooze[open]");
document.addEventListener("click", ({ target }) => {
  for (const menu of openMenus()) if (!menu.contains(target as Node)) menu.open = false;
});
document.addEventListener("keydown", ({ key }) => {
  if (key !== "Escape") return;
  for (const menu of openMenus()) {
    menu.open = false;
    menu.querySelector("summary")?.focus();
  }
});

const panel = document.getElementById("notify");
const button = document.getElementById("notify-button");
const text = document.getElementById("notify-text");

function showState(): void {
  if (!panel || !button || !text) return;
  panel.hidden = !hasNotifications;
  if (!hasNotifications) return;
  const isBlocked = Notification.permission === "denied";
  button.hidden = isBlocked;
  button.textContent = isEnabled() ? "Turn off notifications" : "Notify me in this browser";
  text.textContent = isBlocked
    ? "Your browser blocks notifications of this site. Allow them in its settings."
    : isEnabled()
      ? "This browser notifies you while a tab is open."
      : "";
}

button?.addEventListener("click", async () => {
  if (isEnabled()) return setEnabled(false);
  if ((await Notification.requestPermission()) === "granted") setEnabled(true);
  showState();
});
onEnabledChange(showState);
showState();

/** Whether the visitor turned on notifications, in this browser and with this token. */

const enabledKey = "svc-notify";
/** The items of the last check, as `id at`. */
export const knownKey = "svc-notified";
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

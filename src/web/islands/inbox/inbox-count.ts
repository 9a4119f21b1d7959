/** The count of the inbox in the navigation, and on the icon of the installed site. */

const channelName = "svc-inbox";
const channel = new BroadcastChannel(channelName);

/** Browsers that install sites show a badge on their icon. */
function showOnIcon(count: number): void {
  const shown = count > 0 ? navigator.setAppBadge?.(count) : navigator.clearAppBadge?.();
  shown?.catch(() => {}); // not installed, or not allowed
}

function show(count: number): void {
  const element = document.getElementById("inbox-count");
  if (element) {
    const countMax = Number(element.dataset.countMax);
    element.textContent = count === 0 ? "" : count >= countMax ? `${countMax - 1}+` : String(count);
    element.dataset.count = String(count);
  }
  showOnIcon(count);
}

/** Shows a count in all tabs of the site. */
export function showInboxCount(count: number): void {
  show(count);
  channel.postMessage(count);
}

channel.onmessage = ({ data }) => show(Number(data));
showOnIcon(Number(document.getElementById("inbox-count")?.dataset.count ?? 0));

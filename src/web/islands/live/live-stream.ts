/** Follows the event stream: reconnects, and shows the state of the connection in `#live`. */

const live = document.getElementById("live");
const liveText = document.getElementById("live-text");
const retryMs = 3_000;

export interface Follower {
  /** The query of the stream: filters, and `after`. */
  query(): string;
  onEvent(event: { ts: string }): void;
  onOpen(): void;
}

function showState(state: "live" | "lost" | "offline" | "over", text: string): void {
  if (!live || !liveText) return;
  live.dataset.state = state;
  liveText.textContent = text;
}

/** Starts to follow. @returns connects again, with the current query */
export function followEvents({ query, onEvent, onOpen }: Follower): () => void {
  let stream: EventSource | undefined;

  function connect(): void {
    stream?.close();
    stream = new EventSource(`/web/feed/stream?${query()}`);
    stream.onopen = () => {
      showState("live", "Live");
      onOpen();
    };
    stream.onmessage = ({ data }) => onEvent(JSON.parse(data));
    stream.onerror = () => void handleError();
  }

  /** EventSource reconnects by itself after a network error, but not after an HTTP error such as 401. */
  async function handleError(): Promise<void> {
    showState(navigator.onLine ? "lost" : "offline", navigator.onLine ? "Reconnecting…" : "Offline");
    if (stream?.readyState !== EventSource.CLOSED) return;
    const response = await fetch(`/web/feed-rows?${query()}`).catch(() => null);
    if (response?.status === 401 || response?.status === 403) return showSessionEnded();
    setTimeout(connect, retryMs);
  }

  /**
   * Browsers allow six HTTP/1.1 connections per host, so a hidden tab closes its stream; it catches up when
   * it becomes visible.
   */
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden") stream?.close();
    else connect();
  });
  addEventListener("offline", () => showState("offline", "Offline"));
  addEventListener("online", () => {
    showState("lost", "Reconnecting…");
    connect(); // the old connection may be dead
  });
  showState("lost", "Connecting…");
  connect();
  return connect;
}

function showSessionEnded(): void {
  showState("over", "Your session has ended. ");
  const link = document.createElement("a");
  link.href = `/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`;
  link.textContent = "Sign in";
  liveText?.append(link);
}

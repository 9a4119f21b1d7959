/** Keeps a page current: after an event, loads it again and replaces the sections that changed. */

import { fetchPage, replacePart } from "../page/parts.js";
import { followEvents } from "./live-stream.js";

export interface LivePage {
  /** The filters of the events that change the page. */
  filters: Record<string, string>;
  /** The time of the newest event on the page; empty if there is none. */
  newest: string;
  /** Pause before the page is loaded: it is loaded once for all events that arrive within this time. */
  pauseMs: number;
  /** Called with the page as it was loaded again. */
  onUpdate?(page: Document): void;
}

/** Follows the events of a page. @returns loads the page again */
export function followPage({ filters, newest, pauseMs, onUpdate }: LivePage): () => Promise<void> {
  let lastReceived = newest || "1970-01-01T00:00:00Z";
  let isStale = false;
  let isUpdating = false;

  async function update(): Promise<void> {
    isStale = true;
    if (isUpdating) return;
    isUpdating = true;
    try {
      while (isStale) {
        isStale = false;
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
        const { page, ok } = await fetchPage(location.href);
        if (!ok) return;
        for (const section of document.querySelectorAll<HTMLElement>("[data-live]")) replace(section, page);
        onUpdate?.(page);
      }
    } catch {
      // Without a connection the page stays as it is; the next event updates it.
    } finally {
      isUpdating = false;
    }
  }

  followEvents({
    query: () => new URLSearchParams({ ...filters, after: lastReceived }).toString(),
    onEvent({ ts }) {
      lastReceived = ts;
      void update();
    },
    onOpen() {},
  });
  return update;
}

const isTyped = ({ value, defaultValue }: HTMLTextAreaElement): boolean => value !== defaultValue;

/** Replaces a section, unless the keyboard focus or a text that was typed is in it: it would be lost. */
function replace(section: HTMLElement, page: Document): void {
  const fresh = page.getElementById(section.id);
  if (!fresh || section.contains(document.activeElement)) return;
  if ([...section.querySelectorAll("textarea")].some(isTyped)) return;
  const shown = new Set([...section.querySelectorAll<HTMLElement>(".event")].map((row) => row.dataset.id));
  for (const row of fresh.querySelectorAll<HTMLElement>(".event"))
    row.classList.toggle("fresh", !shown.has(row.dataset.id));
  replacePart(section, fresh);
}

/** @jsxImportSource preact */
/** A section of Today: a heading with a count, its content, or one line when there is none. */
import type { ComponentChildren } from "preact";
import type { EventKind } from "../../feed/schema.ts";
import { countMax } from "../../library/review-queue/review-queue.ts";

/** 7, or 99+ where counting stopped. */
export const countText = (count: number): string => (count >= countMax ? `${countMax - 1}+` : String(count));

interface SectionProps {
  id: string;
  title: string;
  count: number;
  /** Shown instead of the content when the count is 0. */
  none: string;
  /** Shown beside the heading. */
  aside?: ComponentChildren;
  children: ComponentChildren;
}

/** Scripts replace it when something happens. */
export const Section = ({ id, title, count, none, aside, children }: SectionProps) => (
  <section id={`today-${id}`} class="today-section" data-live>
    <div class="head">
      <h2>
        {title} {count > 0 && <span class="count">{countText(count)}</span>}
      </h2>
      {count > 0 && aside}
    </div>
    {count > 0 ? children : <p class="soft">{none}</p>}
  </section>
);

export const feedUrl = (query: Record<string, string>): string =>
  `/feed?${new URLSearchParams(query).toString().replaceAll("%2C", ",").replaceAll("%3A", ":")}`;

export const AllInFeed = ({ kinds, since }: { kinds: EventKind[]; since: string }) => (
  <a href={feedUrl({ kind: kinds.join(), after: since })}>All in the feed</a>
);

/** @jsxImportSource preact */
/** The design page: colors, spacing, type, and components, shown with the components themselves. */
import type { ComponentChildren } from "preact";
import { kinds } from "../feed/schema.ts";
import { Status } from "./assets/asset.tsx";
import { BarChart } from "./charts/charts.tsx";
import { EventList } from "./feed/event-rows.tsx";
import { formatCost } from "./format.ts";
import { Icon, kindStyles } from "./icons/icons.tsx";
import { EmptyState, Select } from "./layout.tsx";
import tokens from "./style/tokens.css" with { type: "text" };
import { Fact, lastDays } from "./usage/usage.tsx";
import type { Page, View } from "./view.ts";

/** Design tokens, read from the style sheet, so that this page is always up to date. */
const declarations = [...tokens.matchAll(/^\s*--([\w-]+): (.+);$/gm)].map(([, name = "", value = ""]) => ({
  name,
  value,
}));
const colors = declarations.filter(({ value }) => value.startsWith("light-dark("));
const spaces = declarations.filter(({ name }) => /^s\d$/.test(name));
const sizes = ["small", "body", "large", "title"];

const uses: Record<string, string> = {
  ground: "page background",
  surface: "cards, top bar, form fields",
  sunken: "code blocks, viewers, thumbnails",
  ink: "text",
  "ink-soft": "secondary text",
  line: "dividers between rows",
  "line-strong": "borders of controls",
  accent: "links, the primary action, focus",
  "accent-ink": "text on the accent color",
  "accent-soft": "selected items",
  good: "done, merged, approved",
  "good-soft": "background of success messages and added lines",
  bad: "failed, rejected",
  "bad-soft": "background of error messages and removed lines",
  info: "started, opened",
  warn: "waiting for a person",
};

export function designPage(view: View): Page {
  const days = lastDays(view.ctx, 14);
  const body = (
    <article class="design">
      <h1>Design</h1>
      <p class="lede">
        Calm, dense, obvious. People come here to see what happened and to decide. Nothing on a page is
        decoration.
      </p>
      <ul class="principles">
        <li>Text first. A color or an icon never carries meaning without a label.</li>
        <li>
          One primary action per page, in the accent color. Everything else is a plain button or a link.
        </li>
        <li>Every page works without scripts. Scripts add live updates and shortcuts.</li>
        <li>New content never moves what you are reading.</li>
        <li>An action that can be undone needs no confirmation.</li>
        <li>
          Fonts, icons, and charts are the system's or our own. No page loads anything from another host.
        </li>
      </ul>

      <section>
        <h2>Color</h2>
        <p class="soft">
          Each color has a light and a dark value. Text has a contrast ratio of at least 4.5:1. Forced colors
          override all of them.
        </p>
        <ul class="swatches">
          {colors.map(({ name, value }) => (
            <li key={name}>
              <svg viewBox="0 0 48 32" role="img" aria-label={name}>
                <rect width="48" height="32" fill={`var(--${name})`} />
              </svg>
              <div>
                <code>--{name}</code>
                <p class="soft">{uses[name] ?? "chart series"}</p>
                <p class="soft value">{value.slice("light-dark(".length, -1)}</p>
              </div>
            </li>
          ))}
        </ul>
      </section>

      <section>
        <h2>Spacing and type</h2>
        <div class="columns">
          <ul class="spaces">
            {spaces.map(({ name, value }) => (
              <li key={name}>
                <code>--{name}</code> <span class="soft">{value}</span>
                <svg viewBox="0 0 100 8" preserveAspectRatio="xMinYMid meet" aria-hidden="true">
                  <rect height="8" width={Number.parseFloat(value) * 16} class="c1" />
                </svg>
              </li>
            ))}
          </ul>
          <ul class="types">
            {sizes.map((name) => (
              <li key={name} class={`type-${name}`}>
                {name} <code>--{name}</code>
              </li>
            ))}
          </ul>
        </div>
        <p class="soft">
          All controls are <code>--control</code> high and have corners of <code>--radius</code>. Numbers in
          columns are tabular.
        </p>
      </section>

      <section>
        <h2>Components</h2>
        <Example
          name="Button"
          use="One primary action; the rest are plain. A destructive action is red and says what it does."
        >
          <p class="buttons">
            <button type="button" class="primary">
              Approve <kbd>A</kbd>
            </button>
            <button type="button">Apply</button>
            <button type="button" class="danger">
              Reject
            </button>
            <button type="button" disabled>
              Disabled
            </button>
            <button type="button" class="plain">
              Sign out
            </button>
          </p>
        </Example>
        <Example name="Field" use="The label is above the field. A placeholder never replaces it.">
          <form class="filters">
            <Select name="kind" label="Kind" value={undefined} options={["run.failed", "pr.merged"]} />
            <label>
              Actor <input name="actor" placeholder="agent:codex" />
            </label>
            <button type="button">Apply</button>
          </form>
        </Example>
        <Example name="Tabs" use="Switches between views of the same content. The URL names the view.">
          <nav class="tabs" aria-label="Example">
            <a href="#tabs" aria-current="true" id="tabs">
              Grid
            </a>
            <a href="#tabs">List</a>
          </nav>
        </Example>
        <Example name="Status" use="The review status of an asset: icon, label, color.">
          <p class="buttons">
            {(["pending", "approved", "rejected", "superseded", "published"] as const).map((status) => (
              <Status key={status} status={status} />
            ))}
          </p>
        </Example>
        <Example name="Kind" use="The kind of an event. Icons are 16 × 16 with a stroke width of 1.5.">
          <ul class="kinds">
            {kinds.map((kind) => {
              const [icon, tone] = kindStyles[kind];
              return (
                <li key={kind} class={`kind ${tone}`}>
                  <Icon name={icon} /> {kind}
                </li>
              );
            })}
          </ul>
        </Example>
        <Example name="Event" use="A row of the feed: time, kind, summary, cost, project, task, actor.">
          <EventList
            events={[exampleEvent]}
            projects={[{ slug: "atlas", forge: "github", host: "github.com", repo: "acme/atlas" }]}
            config={view.ctx.config}
          />
        </Example>
        <Example name="Fact" use="A number with its label. A bad value also has an icon.">
          <dl class="facts-grid">
            <Fact name="Runs" value="32" />
            <Fact name="Failed" value="12 (38%)" isBad />
            <Fact name="Cost" value={formatCost(24.59)} />
          </dl>
        </Example>
        <Example
          name="Chart"
          use="One bar per day, rendered on the server. The table below it has the same data."
        >
          <BarChart
            title="Cost"
            days={days}
            series={[
              { name: "claude-sonnet-4-5", values: days.map((_, at) => (at * 7) % 5) },
              { name: "gpt-5.1-codex", values: days.map((_, at) => (at * 3) % 4) },
            ]}
            show={formatCost}
          />
        </Example>
        <Example name="Chip" use="A neutral property.">
          <p class="buttons">
            <span class="chip">lane_a</span>
            <span class="chip">TypeScript</span>
          </p>
        </Example>
        <Example name="Notice" use="A message in one sentence.">
          <p class="notice">No project with slug 'nowhere'.</p>
          <p class="notice good">chart.png, version 3, is now approved.</p>
        </Example>
        <Example name="Note" use="A reviewer's note.">
          <p class="note">Free berths have a contrast ratio of 2.9. Use at least 4.5.</p>
        </Example>
        <Example name="Empty" use="Says that there is no content yet, and what to do next.">
          <EmptyState title="No events yet.">
            <p>
              Link a project with <code>svc project link</code>, then connect GitHub or an agent.
            </p>
          </EmptyState>
        </Example>
      </section>
    </article>
  );
  return { title: "Design", navEntry: "docs", body };
}

const Example = ({ name, use, children }: { name: string; use: string; children: ComponentChildren }) => (
  <section class="shown">
    <div>
      <h3>{name}</h3>
      <p class="soft">{use}</p>
    </div>
    <div class="panel">{children}</div>
  </section>
);

const exampleEvent = {
  id: 1,
  ts: "2026-03-01T12:00:00.000000Z",
  kind: "run.finished" as const,
  actor: "agent:codex",
  summary: "Run 7 finished: 5 files changed, 54 lines added, 97 removed",
  project: "atlas",
  repo: "acme/atlas",
  lane: "lane_a",
  model: "gpt-5.1-codex",
  issue: 12,
  pr: null,
  url: null,
  tokens_in: 18_200,
  tokens_out: 3_100,
  cache_read: 0,
  cache_write: 0,
  cost_equiv: 0.42,
  subscription: null,
  duration_ms: 61_000,
};

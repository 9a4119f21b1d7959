/** @jsxImportSource preact */
/** The design language, shown with itself: what everything on the site is made of. */
import type { ComponentChildren } from "preact";
import { kinds } from "../feed/schema.ts";
import { Status } from "./asset.tsx";
import { BarChart } from "./charts.tsx";
import { Recent } from "./event-rows.tsx";
import { cost } from "./format.ts";
import { Icon, kindLooks } from "./icons.tsx";
import { Choose, Empty } from "./layout.tsx";
import tokens from "./style/tokens.css" with { type: "text" };
import { Fact, lastDays } from "./usage.tsx";
import type { Page, View } from "./view.ts";

/** Names and values as the style sheet has them, so that this page cannot say something else. */
const declared = [...tokens.matchAll(/^\s*--([\w-]+): (.+);$/gm)].map(([, name = "", value = ""]) => ({
  name,
  value,
}));
const colours = declared.filter(({ value }) => value.startsWith("light-dark("));
const spaces = declared.filter(({ name }) => /^s\d$/.test(name));
const sizes = ["small", "body", "large", "title"];

const uses: Record<string, string> = {
  ground: "behind everything",
  surface: "what lies on the ground: cards, the bar, fields",
  sunken: "what lies in it: code, stages, thumbnails",
  ink: "words",
  "ink-soft": "words that may be passed over",
  line: "between rows",
  "line-strong": "around what can be used",
  accent: "links, the one main action, focus",
  "accent-ink": "words on the accent",
  "accent-soft": "what is chosen",
  good: "done, merged, approved",
  "good-soft": "behind good news and added lines",
  bad: "failed, rejected",
  "bad-soft": "behind bad news and removed lines",
  info: "begun, opened",
  warn: "waits for a person",
};

export function designPage(view: View): Page {
  const days = lastDays(view.ctx, 14);
  const body = (
    <article class="design">
      <h1>Design</h1>
      <p class="lede">
        Calm, dense, obvious. People come here to see what happened and to decide; nothing on the page wants
        to be looked at for its own sake.
      </p>
      <ul class="principles">
        <li>Words before pictures. A colour or an icon never says something that no word beside it says.</li>
        <li>One main action on a page, in the accent. Everything else is a plain button or a link.</li>
        <li>Every page works without scripts; scripts make it live, and take nothing away.</li>
        <li>What is new waits until somebody asks; nothing that is being read moves.</li>
        <li>What can be taken back needs no question before it.</li>
        <li>Fonts, icons and charts are the system's or our own. No page asks another host for anything.</li>
      </ul>

      <section>
        <h2>Colour</h2>
        <p class="soft">
          Each has a light and a dark value; words on their grounds keep a contrast of 4.5 or more. Forced
          colours win over all of them.
        </p>
        <ul class="swatches">
          {colours.map(({ name, value }) => (
            <li key={name}>
              <svg viewBox="0 0 48 32" role="img" aria-label={name}>
                <rect width="48" height="32" fill={`var(--${name})`} />
              </svg>
              <div>
                <code>--{name}</code>
                <p class="soft">{uses[name] ?? "a series of a chart"}</p>
                <p class="soft value">{value.slice("light-dark(".length, -1)}</p>
              </div>
            </li>
          ))}
        </ul>
      </section>

      <section>
        <h2>Space and type</h2>
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
          Controls are <code>--control</code> high wherever they stand, corners are <code>--radius</code>.
          Numbers in columns are tabular.
        </p>
      </section>

      <section>
        <h2>Components</h2>
        <Shown
          name="Button"
          said="One main action; the rest is plain. What destroys is red, and says what it does."
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
        </Shown>
        <Shown
          name="Field"
          said="The label stands above, in words. What is typed is never only a placeholder."
        >
          <form class="filters">
            <Choose name="kind" label="Kind" value={undefined} options={["run.failed", "pr.merged"]} />
            <label>
              Actor <input name="actor" placeholder="agent:codex" />
            </label>
            <button type="button">Apply</button>
          </form>
        </Shown>
        <Shown name="Tabs" said="One of a few ways to see the same; the address says which.">
          <nav class="tabs" aria-label="Example">
            <a href="#tabs" aria-current="true" id="tabs">
              Grid
            </a>
            <a href="#tabs">List</a>
          </nav>
        </Shown>
        <Shown name="Status" said="Where a review stands: an icon, a word, a tone.">
          <p class="buttons">
            {(["pending", "approved", "rejected", "superseded", "published"] as const).map((status) => (
              <Status key={status} status={status} />
            ))}
          </p>
        </Shown>
        <Shown
          name="Kind"
          said="An event's kind, told apart at a glance. Sixteen units square, one line of 1.5."
        >
          <ul class="kinds">
            {kinds.map((kind) => {
              const [icon, tone] = kindLooks[kind];
              return (
                <li key={kind} class={`kind ${tone}`}>
                  <Icon name={icon} /> {kind}
                </li>
              );
            })}
          </ul>
        </Shown>
        <Shown
          name="Event"
          said="A row of the feed: when, what kind, what and what it took, where, by whom. What is quiet is soft."
        >
          <Recent
            events={[exampleEvent]}
            projects={[{ slug: "atlas", repo: "acme/atlas" }]}
            config={view.ctx.config}
          />
        </Shown>
        <Shown name="Fact" said="A number with its name. Bad news has an icon as well.">
          <dl class="facts-grid">
            <Fact name="Runs" value="32" />
            <Fact name="Failed" value="12, 38 %" isBad />
            <Fact name="Cost" value={cost(24.59)} />
          </dl>
        </Shown>
        <Shown
          name="Chart"
          said="Bars of days, made on the server. The table below it has the numbers, for everybody."
        >
          <BarChart
            title="Cost"
            days={days}
            series={[
              { name: "claude-sonnet-4-5", values: days.map((_, at) => (at * 7) % 5) },
              { name: "gpt-5.1-codex", values: days.map((_, at) => (at * 3) % 4) },
            ]}
            show={cost}
          />
        </Shown>
        <Shown name="Chip" said="A property that is neither good nor bad.">
          <p class="buttons">
            <span class="chip">lane_a</span>
            <span class="chip">TypeScript</span>
          </p>
        </Shown>
        <Shown name="Notice" said="What somebody has to know now, in a sentence.">
          <p class="notice">No project with slug 'nowhere'.</p>
          <p class="notice good">chart.png, version 3, is approved.</p>
        </Shown>
        <Shown name="Note" said="The word of a reviewer, wherever it is shown again.">
          <p class="note">Free berths have a contrast of 2.9. Nothing on the desk goes below 4.5.</p>
        </Shown>
        <Shown name="Empty" said="A place with nothing in it says so, and what to do about it.">
          <Empty title="Nothing has happened yet.">
            <p>
              Link a project with <code>svc project link</code>.
            </p>
          </Empty>
        </Shown>
      </section>
    </article>
  );
  return { title: "Design", place: "docs", body };
}

const Shown = ({ name, said, children }: { name: string; said: string; children: ComponentChildren }) => (
  <section class="shown">
    <div>
      <h3>{name}</h3>
      <p class="soft">{said}</p>
    </div>
    <div class="panel">{children}</div>
  </section>
);

const exampleEvent = {
  ...{ id: 1, ts: "2026-03-01T12:00:00.000000Z", kind: "run.finished" as const, actor: "agent:codex" },
  summary: "Run 7 finished: 5 files changed, 54 lines added, 97 removed",
  ...{
    project: "atlas",
    repo: "acme/atlas",
    lane: "lane_a",
    model: "gpt-5.1-codex",
    issue: 12,
    pr: null,
    url: null,
  },
  ...{
    tokens_in: 18_200,
    tokens_out: 3_100,
    cache_read: 0,
    cache_write: 0,
    cost_equiv: 0.42,
    subscription: null,
    duration_ms: 61_000,
  },
};

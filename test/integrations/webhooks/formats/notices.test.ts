/** What chat messages say of assets, decisions and runs, and what they leave out. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { adminCaller } from "../../../../src/core/auth/caller.ts";
import { minuteMicros } from "../../../../src/core/lib/time.ts";
import type { Appendable } from "../../../../src/feed/rows.ts";
import type { Event } from "../../../../src/feed/schema.ts";
import type { Plan } from "../../../../src/integrations/webhooks/formats/format.ts";
import { formats } from "../../../../src/integrations/webhooks/formats/formats.ts";
import { isPublicUrl } from "../../../../src/integrations/webhooks/formats/notices/asset-notices.ts";
import { chatKinds } from "../../../../src/integrations/webhooks/formats/notices/kinds.ts";
import { sampleEvents } from "../../../../src/integrations/webhooks/formats/samples.ts";
import type { telegramMessage } from "../../../../src/integrations/webhooks/formats/services/telegram.ts";
import { reviewAsset } from "../../../../src/library/verdicts/review.ts";
import type { Library } from "../../../support/library.ts";
import { eventsAfter, newestId, openChatLibrary } from "../../../support/webhooks/chat-events.ts";

let library: Library;
beforeAll(async () => void (library = await openChatLibrary()));
afterAll(() => library.close());

const ana = { ...adminCaller, actor: "human:ana" };
const site = "https://svc.example.org";

/** The events that `work` appends. */
async function during(work: () => Promise<unknown>): Promise<Event[]> {
  const before = await newestId(library);
  await work();
  return eventsAfter(library, before);
}
const append = (...events: Appendable[]) =>
  library.ctx.data.append(events.map((one) => ({ project: "atlas", ...one })));
const plant = (fields = {}) =>
  library.plant({ title: "Harbor map", has_thumb: true, created_by: "agent:codex", ...fields });
const review = (id: string, decision: "approved" | "rejected", note?: string) =>
  reviewAsset(library.ctx, { id, decision, ...(note && { note }) }, ana);

const plan = (events: readonly Event[], lastSentAt: number | null = null): Promise<Plan> =>
  formats.telegram.plan(library.ctx, events, { lastSentAt });

type Shown = ReturnType<typeof telegramMessage>;
/** The message for events that are ready. */
async function shown(events: readonly Event[]): Promise<Shown> {
  library.clock.advance(10 * minuteMicros);
  const { action, ...sent } = await plan(events);
  if (action !== "send" || !("message" in sent)) throw new Error(action);
  expect(sent.covers).toBe(events.length);
  return JSON.parse(sent.message.body);
}
const textOf = async (events: readonly Event[]) => (await shown(events)).text;
const run = (kind: Appendable["kind"], run_id: string, fields: Partial<Appendable> = {}): Appendable => ({
  ...{ kind, actor: "agent:codex", summary: "Started", issue: 12, run_id },
  ...fields,
});

describe("a message about an asset", () => {
  test("that waits names it, its version and its author, links to the desk and shows it", async () => {
    const first = await plant({ issue: 12 });
    const events = await during(() =>
      library.plant({ created_by: "agent:codex", has_thumb: true }, first.id),
    );
    const { text, link_preview_options } = await shown(events);
    const [desk] = /https:[^"]+/.exec(text) ?? [];
    expect(text).toBe(
      `👀 <b><a href="${desk}">Ready for review: Harbor map, version 2</a></b>\n` +
        "By codex · issue #12\n\n<i>atlas</i>",
    );
    expect(desk).toBe(events[0]?.url as string);
    expect(link_preview_options.url).toStartWith(`${site}/api/assets/thumb/`);
  });

  test("is not sent when it is reviewed by then", async () => {
    const events = await during(async () => {
      const { id } = await plant();
      await review(id, "approved");
    });
    library.clock.advance(minuteMicros);
    expect(await plan(events.slice(0, 1))).toEqual({ action: "skip", covers: 1 });
  });

  test("that was rejected quotes the note, and its decision is no second message", async () => {
    const { id } = await plant();
    const events = await during(() => review(id, "rejected", "Too dark.\n\nUse the new depths."));
    expect(events.map(({ kind }) => kind)).toEqual(["asset.reviewed", "decision.captured"]);
    expect(await textOf(events)).toBe(
      `❌ <b><a href="${site}/assets/${id}">Rejected: Harbor map</a></b>\nBy ana\n` +
        "<blockquote>Too dark.\nUse the new depths.</blockquote>\n\n<i>atlas</i>",
    );
  });

  test("that was approved comes without a sound", async () => {
    const { id } = await plant();
    const message = await shown(await during(() => review(id, "approved")));
    expect(message).toMatchObject({ disable_notification: true });
    expect(message.text).toContain("Approved: Harbor map");
  });

  test("from before events named their asset says what the event says", async () => {
    const [event] = await during(plant);
    expect(await textOf([{ ...(event as Event), url: null }])).toContain(
      `<a href="${site}/projects/atlas">Uploaded Harbor map, version 1</a>`,
    );
  });

  test("has no image when services on the internet cannot load it", () => {
    const hidden = [
      "http://svc.example.org",
      "https://localhost:8080",
      "https://10.1.2.3",
      "https://svc.lan",
    ];
    expect(hidden.map(isPublicUrl)).toEqual([false, false, false, false]);
    const more = ["https://[::1]", "https://svc", "https://169.254.169.254", "https://a.internal"];
    expect(more.map(isPublicUrl)).toEqual([false, false, false, false]);
    const open = ["https://svc.example.org", "https://8.8.8.8", "https://[2606:4700::1111]:8443"];
    expect(open.map(isPublicUrl)).toEqual([true, true, true]);
  });
});

describe("a message about a run", () => {
  test("that failed has the cause, the duration, the cost and a link, and is urgent", async () => {
    const events = await during(() =>
      append(run("run.started", "run-1"), {
        ...run("run.failed", "run-1", { summary: "Tests failed: 3 of 120", duration_ms: 61_000 }),
        cost_equiv: 0.42,
      }),
    );
    expect(await plan(events, library.clock.now() - 10_000_000)).toMatchObject({ action: "send", covers: 2 });
    expect(await textOf(events)).toBe(
      `❌ <b><a href="${site}/runs/run-1?project=atlas">Run failed on issue #12</a></b>\n` +
        "codex · 1 min · $0.42\n<blockquote>Tests failed: 3 of 120</blockquote>\n\n<i>atlas</i>",
    );
  });

  test("that finished says what it made and what waits for review, instead of a message each", async () => {
    const events = await during(async () => {
      await append(run("run.started", "run-2"), run("step.usage", "run-2"));
      const { id } = await plant({ run_id: "run-2" });
      await plant({ run_id: "run-2" });
      await append(run("decision.captured", "run-2", { summary: "Use meters" }));
      await review(id, "approved");
      await append(run("run.finished", "run-2", { summary: "Drew 2 maps", duration_ms: 300_000 }));
    });
    const text = await textOf(events);
    expect(text).toContain("Made 2 assets and 1 decision · 1 waits for review");
    expect(text).toContain("2 updates in atlas");
    expect(text).toContain("Approved: Harbor map");
    expect(text).not.toContain("Ready for review");
  });

  test("comes once: what it makes waits for its end, but not longer than five minutes", async () => {
    const events = await during(async () => {
      await append(run("run.started", "run-3"));
      await plant({ run_id: "run-3" });
    });
    expect(await plan(events)).toEqual({ action: "skip", covers: 1 });
    const upload = events.slice(1);
    const { action, until } = (await plan(upload)) as { action: string; until: number };
    const uploaded = library.clock.now();
    expect(action).toBe("wait");
    expect(Math.round((until - uploaded) / minuteMicros)).toBe(5);
    library.clock.advance(5.1 * minuteMicros);
    expect(await plan(upload)).toMatchObject({ action: "send", covers: 1 });
  });

  test("without an id is found by its actor and task", async () => {
    const { run_id: _, ...started } = run("run.started", "");
    const events = await during(() => append(started, { ...started, kind: "run.failed", summary: "No" }));
    expect(await textOf(events)).toContain(`${site}/runs/event%3A${events[0]?.id}"`);
  });
});

describe("a digest", () => {
  test("shows six notices, what is urgent first, and counts the others", async () => {
    const events = await during(async () => {
      for (let count = 0; count < 8; count++) await plant({ title: `Map ${count}` });
      await append(run("run.failed", "run-4", { summary: "Out of memory" }));
    });
    const text = await textOf(events);
    expect(text).toStartWith("<b>9 updates in atlas</b>\n\n❌ <b>");
    expect(text.match(/Ready for review/g)).toHaveLength(5);
    expect(text).toEndWith(`<a href="${site}/projects/atlas">3 more</a>`);
  });

  test("tells nothing of steps, prompts, issues and pull requests", async () => {
    const kinds = ["run.started", "step.usage", "issue.opened", "pr.merged", "preview.ready"] as const;
    const events = await during(() => append(...kinds.map((kind) => run(kind, "run-5"))));
    expect(await plan(events)).toEqual({ action: "skip", covers: 5 });
  });
});

describe("a sample", () => {
  test("of each kind that chats are told of has a message in every format", async () => {
    const samples = sampleEvents(library.ctx, "atlas");
    const kinds: string[] = samples.map(({ kind }) => kind);
    expect(kinds.toSorted()).toEqual(Object.keys(chatKinds).toSorted());
    for (const format of Object.values(formats))
      for (const sample of samples)
        expect(await format.plan(library.ctx, [sample], { lastSentAt: null })).toMatchObject({
          action: "send",
          covers: 1,
        });
  });
});

/** What chat messages say of review requests, budgets and paused webhooks. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { adminCaller } from "../../../../src/core/auth/caller.ts";
import { dayMicros, fromMicros, minuteMicros, secondMicros } from "../../../../src/core/lib/time.ts";
import { setBudget } from "../../../../src/feed/budgets/budgets.ts";
import type { Event } from "../../../../src/feed/schema.ts";
import { formats } from "../../../../src/integrations/webhooks/formats/formats.ts";
import { remindOfReviews } from "../../../../src/library/review-requests/reminders.ts";
import { requestReview } from "../../../../src/library/review-requests/request.ts";
import type { Library } from "../../../support/library.ts";
import { eventsAfter, newestId, openChatLibrary } from "../../../support/webhooks/chat-events.ts";

let library: Library;
beforeAll(async () => void (library = await openChatLibrary()));
afterAll(() => library.close());

const codex = { ...adminCaller, actor: "agent:codex" };

async function during(work: () => Promise<unknown>): Promise<Event[]> {
  const before = await newestId(library);
  await work();
  return eventsAfter(library, before);
}
const plan = (events: readonly Event[], lastSentAt: number | null = null) =>
  formats.mattermost.plan(library.ctx, events, { lastSentAt });

/** The only notice of a message. */
async function noticeOf(events: readonly Event[]) {
  const sent = await plan(events);
  if (sent.action !== "send") throw new Error(sent.action);
  const { attachments } = JSON.parse(sent.message.body);
  expect(attachments).toHaveLength(1);
  return attachments[0];
}

/** Requests a review that is due in a number of days. */
async function ask(days: number): Promise<{ id: string; events: Event[]; due: string }> {
  const { id } = await library.plant({ title: "Harbor map", has_thumb: true, issue: 12 });
  const due_at = fromMicros(library.clock.now() + days * dayMicros);
  const question = "Is the depth readable?";
  const events = await during(() =>
    requestReview(library.ctx, { id, reviewers: ["admin"], due_at, question }, codex),
  );
  return { id, events, due: `${due_at.slice(0, 16).replace("T", " ")} UTC` };
}

const justNow = () => library.clock.now() - 10 * secondMicros;

describe("a request for a review", () => {
  test("says who asks whom, until when and what, with the image and a link to the desk", async () => {
    const { id, events, due } = await ask(3);
    const notice = await noticeOf(events);
    expect(notice).toMatchObject({
      title: "👀 Review requested: Harbor map",
      title_link: `https://svc.example.org/assets/${id}`,
      text: `codex asks admin · due ${due.replaceAll("-", "\\-")} · issue \\#12\n\n> Is the depth readable?`,
      footer: "atlas",
    });
    expect(notice.image_url).toContain(`/api/assets/thumb/${id}/`);
  });

  test("is urgent when it is due within a day", async () => {
    const [soon, later] = [await ask(1), await ask(2)];
    expect(await plan(soon.events, justNow())).toMatchObject({ action: "send" });
    expect(await plan(later.events, justNow())).toMatchObject({ action: "wait" });
  });

  test("is one message with the upload, and when it is asked again", async () => {
    const events = await during(async () => {
      const { id } = await ask(3);
      await requestReview(library.ctx, { id, question: "And the title?" }, codex);
    });
    expect(events.map(({ kind }) => kind)).toEqual([
      "asset.uploaded",
      "review.requested",
      "review.requested",
    ]);
    library.clock.advance(minuteMicros);
    expect((await noticeOf(events)).text).toContain("> And the title?");
  });

  test("that is overdue is urgent", async () => {
    const { due } = await ask(1);
    library.clock.advance(1.1 * dayMicros);
    const events = await during(() => remindOfReviews(library.ctx));
    const overdue = events.filter(({ summary }) => summary.includes(due));
    expect(await plan(overdue, justNow())).toMatchObject({ action: "send" });
    expect(await noticeOf(overdue)).toMatchObject({
      title: "👀 Review overdue: Harbor map",
      text: expect.stringMatching(/^codex asked admin · was due /),
    });
  });
});

describe("a budget", () => {
  test("that is reached says how much is spent; one that is spent is urgent", async () => {
    const spend = (cost_equiv: number) =>
      library.ctx.data.append([
        { kind: "step.usage", actor: "agent:codex", summary: "Step", project: "atlas", cost_equiv },
      ]);
    const told = await during(async () => {
      await setBudget(library.ctx, { project: "atlas", period: "month", amount: 200 }, adminCaller);
      await spend(160.2);
      await spend(40);
    });
    const [at80, spent] = told.filter(({ kind }) => kind === "budget.reached") as [Event, Event];
    expect(await noticeOf([at80])).toMatchObject({
      title: "⚠️ Budget at 80%: atlas, month",
      title_link: "https://svc.example.org/usage#budgets",
      text: "$160.20 of $200",
    });
    expect(await noticeOf([spent])).toMatchObject({ title: "❌ Budget spent: atlas, month" });
    expect(await plan([at80], justNow())).toMatchObject({ action: "wait" });
    expect(await plan([spent], justNow())).toMatchObject({ action: "send" });
  });
});

describe("a paused webhook", () => {
  test("is told to the others at once, with the reason and its page", async () => {
    const url = "https://svc.example.org/settings/webhooks/1";
    const events = await during(() =>
      library.ctx.data.append([
        { kind: "webhook.paused", actor: "bot:svc", summary: "Paused webhook ops: it answered 410", url },
      ]),
    );
    expect(await plan(events, justNow())).toMatchObject({ action: "send" });
    expect(await noticeOf(events)).toMatchObject({
      title: "❌ A webhook was paused",
      title_link: url,
      text: "> Paused webhook ops: it answered 410",
    });
  });
});

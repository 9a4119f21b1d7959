/** Reminders of overdue reviews: when they come, how many, and each one once. */
import { describe, expect, test } from "bun:test";
import { openData } from "../../../db/open.ts";
import type { Context } from "../../../src/api/context.ts";
import { dayMicros, fromMicros, minuteMicros } from "../../../src/core/lib/time.ts";
import { remindOfReviews } from "../../../src/library/review-requests/reminders.ts";
import { dialects } from "../../support/harness.ts";
import { type Library, openLibrary } from "../../support/library.ts";

const overdue = async ({ ctx }: Library) =>
  (await ctx.data.feed(null, { kind: "review.overdue", limit: 100 })).map(({ wire }) => JSON.parse(wire));

async function askedFor(library: Library) {
  const asset = await library.plant();
  const due = library.clock.now() + 90 * minuteMicros;
  const json = { reviewers: ["reviewer"], due_at: fromMicros(due) };
  expect((await library.say(`/assets/${asset.id}/review-requests`, { json })).status).toBe(200);
  return { ...asset, due };
}

describe.each(dialects)("a reminder on %s", (dialect) => {
  test("comes at the due time, then once a day, five times in all", async () => {
    await using library = await openLibrary(dialect, "disk");
    const { id, title, due } = await askedFor(library);
    const { clock, ctx } = library;
    clock.advance(90 * minuteMicros - 1);
    expect(await remindOfReviews(ctx)).toBe(0);
    clock.advance(1);
    expect([await remindOfReviews(ctx), await remindOfReviews(ctx)]).toEqual([1, 0]);
    expect(await overdue(library)).toMatchObject([
      {
        ...{ actor: "bot:svc", project: "atlas", url: `http://svc.test/assets/${id}` },
        summary: `The review of ${title}, version 1, is overdue: asked of reviewer, due ${fromMicros(due).slice(0, 16).replace("T", " ")} UTC`,
      },
    ]);
    const { body } = await library.say<{ review_request: unknown }>(`/assets/${id}`);
    expect(body.review_request).toMatchObject({ reminded_at: fromMicros(due) });
    const perDay: number[] = [];
    for (let day = 0; day < 6; day++) {
      clock.advance(dayMicros - 1);
      const early = await remindOfReviews(ctx);
      clock.advance(1);
      perDay.push(early * 10 + (await remindOfReviews(ctx)));
    }
    expect(perDay).toEqual([1, 1, 1, 1, 0, 0]);
  });

  test("is one event for the days that the service was away", async () => {
    await using library = await openLibrary(dialect, "disk");
    await askedFor(library);
    library.clock.advance(2 * dayMicros + 90 * minuteMicros + 1);
    expect([await remindOfReviews(library.ctx), await remindOfReviews(library.ctx)]).toEqual([1, 0]);
    library.clock.advance(dayMicros - 2);
    expect(await remindOfReviews(library.ctx)).toBe(0);
    library.clock.advance(1);
    expect(await remindOfReviews(library.ctx)).toBe(1);
  });

  test("does not come after the review, and starts again with another due time", async () => {
    await using library = await openLibrary(dialect, "disk");
    const [reviewed, moved] = [await askedFor(library), await askedFor(library)];
    await library.review(reviewed.id, { decision: "approved" });
    const due = fromMicros(moved.due + dayMicros);
    await library.say(`/assets/${moved.id}/review-requests`, { json: { due_at: due } });
    library.clock.advance(dayMicros);
    expect(await remindOfReviews(library.ctx)).toBe(0);
    library.clock.advance(90 * minuteMicros);
    expect(await remindOfReviews(library.ctx)).toBe(1);
  });

  test("is written once by two processes that both lead, and by one that starts again", async () => {
    await using library = await openLibrary(dialect, "disk");
    for (let count = 0; count < 25; count++) await askedFor(library);
    library.clock.advance(90 * minuteMicros);
    const { ctx } = library;
    const second = await openData(library.url, { now: ctx.now, log() {} });
    const other: Context = { ...ctx, data: second };
    const written = await Promise.all([ctx, other, ctx, other].map(remindOfReviews));
    expect(written.reduce((sum, count) => sum + count)).toBe(25);
    await second.close();
    const restarted = await openData(library.url, { now: ctx.now, log() {} });
    expect(await remindOfReviews({ ...ctx, data: restarted })).toBe(0);
    await restarted.close();
    expect(new Set((await overdue(library)).map(({ url }) => url)).size).toBe(25);
  });
});

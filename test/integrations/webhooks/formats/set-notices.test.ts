/** Chat messages about variant sets: one for all variants, once the set has settled. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { adminCaller } from "../../../../src/core/auth/caller.ts";
import { dayMicros, fromMicros, secondMicros } from "../../../../src/core/lib/time.ts";
import type { Event } from "../../../../src/feed/schema.ts";
import { formats } from "../../../../src/integrations/webhooks/formats/formats.ts";
import { requestReview } from "../../../../src/library/review-requests/request.ts";
import { reviewSet } from "../../../../src/library/variant-sets/review.ts";
import { reviewAsset } from "../../../../src/library/verdicts/review.ts";
import { must } from "../../../support/harness.ts";
import type { Library } from "../../../support/library.ts";
import { plantSet } from "../../../support/review/variant-sets.ts";
import { eventsAfter, newestId, openChatLibrary } from "../../../support/webhooks/chat-events.ts";

const ana = { ...adminCaller, actor: "human:ana" };
const page = "https://svc.example.org/projects/atlas/sets/";

describe.each(["sqlite", "postgres"] as const)("messages about a set on %s", (dialect) => {
  let library: Library;
  beforeAll(async () => void (library = await openChatLibrary(dialect)));
  afterAll(() => library.close());

  const during = async (work: () => Promise<unknown>): Promise<Event[]> => {
    const before = await newestId(library);
    await work();
    return eventsAfter(library, before);
  };
  const plan = (events: readonly Event[]) => formats.telegram.plan(library.ctx, events, { lastSentAt: null });
  const textOf = async (events: readonly Event[]): Promise<string> => {
    library.clock.advance(11 * secondMicros);
    const planned = await plan(events);
    if (planned.action !== "send") return planned.action;
    expect(planned.covers).toBe(events.length);
    return JSON.parse(planned.message.body).text;
  };

  test("forty uploads are one, ten seconds after the last of them", async () => {
    const first = await during(() => plantSet(library, "hero", 20));
    library.clock.advance(9 * secondMicros);
    const events = [...first, ...(await during(() => plantSet(library, "hero", 20)))];
    library.clock.advance(2 * secondMicros);
    expect((await plan(events)).action).toBe("wait");
    const text = await textOf(events);
    expect(text).toContain(`<a href="${page}hero">Ready for review: hero, 40 variants</a>`);
    expect(text.match(/Ready for review/g)).toHaveLength(1);
  });

  test("in several messages, only the one with the newest variant tells of the set", async () => {
    const events = await during(() => plantSet(library, "large", 30));
    expect(await textOf(events.slice(0, 20))).toBe("skip");
    expect(await textOf(events.slice(20))).toContain("Ready for review: large, 30 variants");
  });

  test("it waits no longer than five minutes, and is not sent when it is reviewed by then", async () => {
    const events: Event[] = [];
    for (let minute = 0; minute < 31; minute++) {
      events.push(...(await during(() => plantSet(library, "endless", 1))));
      library.clock.advance(9.7 * secondMicros);
    }
    expect((await plan(events)).action).toBe("send");
    const variants = await library.ctx.data.variants("atlas", "endless", 100);
    const all = variants.map(({ id }) => ({ id, decision: "rejected" as const }));
    await reviewSet(library.ctx, { project: "atlas", set: "endless", variants: all, note: "No." }, ana);
    expect(await textOf(events)).toBe("skip");
  });

  test("requests for its variants, and their reviews, are one each", async () => {
    const variants = await plantSet(library, "asked", 4);
    const due_at = fromMicros(library.clock.now() + dayMicros / 2);
    const asked = await during(async () => {
      for (const { id } of variants) await requestReview(library.ctx, { id, due_at }, ana);
    });
    expect((await plan(asked)).action).toBe("wait");
    expect(await textOf(asked)).toContain(`<a href="${page}asked">Review requested: asked, 4 variants</a>`);
    const [first, ...others] = variants.map(({ id }) => id);
    const reviewed = await during(() =>
      reviewSet(
        library.ctx,
        {
          ...{ project: "atlas", set: "asked", note: "Flat." },
          variants: [
            { id: must(first), decision: "approved", seen_status: "pending" },
            ...others.map((id) => ({ id, decision: "rejected" as const, seen_status: "pending" as const })),
          ],
        },
        ana,
      ),
    );
    expect(reviewed).toHaveLength(5);
    const text = await textOf(reviewed);
    expect(text).toContain("2 updates in atlas");
    expect(text).toContain("Approved: v1.png");
    expect(text).toContain("Rejected: asked, 3 variants");
  });

  test("an asset without a set, and a set with one variant, are told as before", async () => {
    const events = await during(async () => {
      await library.plant({ title: "Alone" });
      await plantSet(library, "one", 1);
    });
    const text = await textOf(events);
    expect(text).toContain("Ready for review: Alone");
    expect(text).toContain("Ready for review: v1.png");
    await reviewAsset(
      library.ctx,
      { id: must(events[0]?.url?.split("/").at(-1)), decision: "approved" },
      ana,
    );
  });
});

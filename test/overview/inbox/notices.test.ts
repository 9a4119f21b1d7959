/** Reviews that were asked of people, budgets and paused webhooks in the inbox. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { allScopes } from "../../../src/core/auth/scopes.ts";
import { dayMicros, fromMicros, minuteMicros, secondMicros } from "../../../src/core/lib/time.ts";
import type { BudgetCheck } from "../../../src/feed/budgets/schema.ts";
import type { Inbox } from "../../../src/overview/inbox/schema.ts";
import { dialects, event, link } from "../../support/harness.ts";
import { base } from "../../support/http/input.ts";
import { type Library, openLibrary } from "../../support/library.ts";
import { addWebhook } from "../../support/webhooks/webhook-rows.ts";

describe.each(dialects)("the inbox on %s", (dialect) => {
  let library: Library;
  let ana = "";
  let ben = "";
  beforeAll(async () => {
    library = await openLibrary(dialect, "disk");
    await link(library.ctx.data, "beacon");
    ana = await library.mint(allScopes, { name: "ana" });
    ben = await library.mint(
      allScopes.filter((one) => one !== "webhooks:write"),
      { name: "ben" },
    );
  });
  afterAll(() => library[Symbol.asyncDispose]());

  const itemsOf = async (token: string): Promise<Inbox["items"]> =>
    ((await (await library.ask(`${base}/inbox`, { token })).json()) as Inbox).items;
  const shownTo = async (token: string) =>
    (await itemsOf(token)).map(({ reason, title }) => `${reason}: ${title}`);
  const send = async (method: string, path: string, json: object) => {
    const response = await library.ask(base + path, { method, token: ana, json });
    expect([path, response.ok]).toEqual([path, true]);
  };

  test("has a requested review only for the reviewer who was asked, until it is done, also when it is overdue", async () => {
    const { id } = await library.plant({ project: "beacon", title: "Lamp" });
    expect(await shownTo(ben)).toEqual(["review: Lamp"]);
    const due_at = fromMicros(library.clock.now() + 10 * minuteMicros);
    await send("POST", `/assets/${id}/review-requests`, {
      reviewers: ["ana"],
      due_at,
      question: "Bright enough?",
    });
    expect([await shownTo(ana), await shownTo(ben)]).toEqual([["review_requested: Lamp"], []]);
    expect((await itemsOf(ana))[0]?.detail).toBe("Bright enough?");
    await send("POST", "/inbox/done", { ids: [`review-${id}`] });
    expect(await shownTo(ana)).toEqual([]);
    library.clock.advance(11 * minuteMicros); // overdue: it is back
    expect(await itemsOf(ana)).toMatchObject([{ reason: "review_overdue", at: due_at }]);
    await library.review(id, { decision: "approved" });
    expect(await shownTo(ana)).toEqual([]);
  });

  test("has each budget with a notice and what is spent by now, until its amount is raised or its period ends", async () => {
    const budget = { project: "beacon", period: "day" };
    const ofMonth = { project: "beacon", period: "month" };
    await send("PUT", "/budgets", { ...budget, amount: 10 });
    await send("PUT", "/budgets", { ...ofMonth, amount: 18 });
    const spend = (cost_equiv: number) =>
      library.ctx.data.append([event({ project: "beacon", kind: "step.usage", cost_equiv })]);
    await spend(6);
    await spend(3);
    expect((await shownTo(ana)).toSorted()).toEqual([
      "budget: Budget 'beacon, day' is at 90%: $9 of $10",
      "budget: Budget 'beacon, month' is at 50%: $9 of $18",
    ]);
    await spend(0.36);
    const { budgets } = (await (
      await library.ask(`${base}/budgets/check?project=beacon`, { token: ana })
    ).json()) as BudgetCheck;
    expect(budgets.map(({ percent }) => percent)).toEqual([93, 52]);
    expect((await shownTo(ana)).toSorted()).toEqual([
      "budget: Budget 'beacon, day' is at 93%: $9.36 of $10",
      "budget: Budget 'beacon, month' is at 52%: $9.36 of $18",
    ]);
    await send("PUT", "/budgets", { ...ofMonth, amount: 1_000 });
    await send("PUT", "/budgets", { ...budget, amount: 100 });
    expect(await shownTo(ana)).toEqual([]);
    await send("PUT", "/budgets", { ...budget, amount: 9 });
    await spend(1);
    expect(await shownTo(ana)).toEqual([expect.stringContaining("is spent")]);
    library.clock.advance(dayMicros);
    expect(await shownTo(ana)).toEqual([]);
  });

  test("has paused webhooks for those who can resume them, until they are resumed", async () => {
    const at = library.clock.now() - secondMicros;
    const fields = { status: "paused", paused_at: at, paused_reason: "The receiver answers 410." } as const;
    const id = await addWebhook(library.ctx.data, { name: "chat" });
    await library.ctx.data.atomically((writes) => writes.changeWebhook(id, fields));
    expect(await itemsOf(ana)).toMatchObject([
      {
        ...{ reason: "webhook_paused", title: "chat", detail: "The receiver answers 410." },
        url: `http://svc.test/settings/webhooks/${id}`,
      },
    ]);
    expect(await shownTo(ben)).toEqual([]);
    const ofBeacon = { name: "carl", projects: ["beacon"] };
    const carl = await library.mint(["feed:read", "webhooks:write"], ofBeacon);
    const own = await addWebhook(library.ctx.data, { name: "own", owner: "carl" });
    await library.ctx.data.atomically((writes) => writes.changeWebhook(own, fields));
    expect(await shownTo(carl)).toEqual(["webhook_paused: own"]);
    for (const one of [id, own])
      await library.ctx.data.atomically((writes) => writes.changeWebhook(one, { status: "active" }));
    expect(await shownTo(ana)).toEqual([]);
  });
});

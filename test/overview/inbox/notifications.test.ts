/** Notifications of the inbox in a browser: only after consent, from one tab, and without what is done. */
import { afterEach, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { type BrowserSession, browserPath } from "../../support/browser/browser.ts";
import { useReviewDesk } from "../../support/browser/review-desk.ts";
import { until } from "../../support/harness.ts";

const desk = useReviewDesk();
let visitor: BrowserSession;
afterEach(() => visitor?.[Symbol.asyncDispose]());

const fail = (summary: string) =>
  desk.testServer.api("POST", "/events", {
    events: [{ kind: "run.failed", actor: "agent:codex", project: "atlas", summary }],
  });

/**
 * Records notifications instead of showing them, and grants the permission when asked: a browser without a
 * window denies it whatever its context says.
 */
const recordNotifications = () => {
  const key = "permission";
  const record = { shown: [] as object[], asked: 0 };
  class Recorded {
    static get permission() {
      return localStorage.getItem(key) ?? "default";
    }
    static requestPermission() {
      record.asked++;
      localStorage.setItem(key, "granted");
      return Promise.resolve("granted");
    }
    constructor(
      readonly title: string,
      readonly options: NotificationOptions,
    ) {
      record.shown.push(this);
    }
    onclose?: () => void;
    close() {
      record.shown.splice(record.shown.indexOf(this), 1);
      this.onclose?.();
    }
  }
  Object.assign(globalThis, { Notification: Recorded, record });
};

/** A deployment without events has nothing to notify of. */
async function enter(): Promise<Page> {
  await fail("Before");
  visitor = await desk.enter();
  await visitor.context.addInitScript(recordNotifications);
  await visitor.page.goto("/");
  return visitor.page;
}
const titlesOn = (page: Page) => page.evaluate("record.shown.map(({ title }) => title)") as Promise<string[]>;
const titles = async () => (await Promise.all(visitor.context.pages().map(titlesOn))).flat();
const turnOn = async (page: Page) => {
  await page.getByRole("button", { name: "Notify me in this browser" }).click();
  await page.getByRole("button", { name: "Turn off notifications" }).waitFor();
  // The first check learns what is in the inbox already.
  await until(
    async () => (await page.evaluate("localStorage.getItem('svc-notified')")) !== null,
    "the first check is done",
  );
};

describe.skipIf(!browserPath)("notifications", () => {
  test("are never asked for without a click, and off until then", async () => {
    const page = await enter();
    await page.locator("#live[data-state=live]").waitFor();
    await fail("Unnoticed");
    await page.getByRole("link", { name: "Unnoticed", exact: true }).waitFor();
    expect(await page.evaluate("[record.asked, record.shown.length]")).toEqual([0, 0]);
    expect(visitor.faults).toEqual([]);
  });

  test("come from one tab of many, open the item, and close when it is done elsewhere", async () => {
    const page = await enter();
    await turnOn(page);
    const other = await visitor.context.newPage();
    await other.goto("/docs");
    await fail("No berths");
    await until(async () => (await titles()).length > 0, "a tab notifies");
    expect(await titles()).toEqual(["No berths"]);
    const opened = visitor.context.waitForEvent("page");
    await page.evaluate("record.shown[0].onclick()");
    expect(new URL((await opened).url()).pathname).toMatch(/^\/(feed|runs)/);
    await fail("No tides");
    await until(async () => (await titles()).includes("No tides"), "a tab notifies again");
    const { items } = await desk.testServer.api<{ items: { id: string; title: string }[] }>("GET", "/inbox");
    const ids = items.filter(({ title }) => title === "No tides").map(({ id }) => id);
    await page.evaluate(`fetch("/web/inbox/done", { method: "POST", body: ${JSON.stringify(
      JSON.stringify({ ids }),
    )}, headers: { "content-type": "application/json",
      "x-csrf-token": document.querySelector("meta[name=csrf]").content } })`);
    await fail("Low water");
    await until(async () => (await titles()).join() === "Low water", "it closes");
    expect(visitor.faults).toEqual([]);
  });

  test("move to another tab when theirs closes, and stop when they are turned off", async () => {
    const page = await enter();
    await turnOn(page);
    const other = await visitor.context.newPage();
    await other.goto("/");
    await page.close();
    await fail("High water");
    await until(async () => (await titles()).join() === "High water", "the other tab notifies");
    await other.getByRole("button", { name: "Turn off notifications" }).click();
    await other.getByRole("button", { name: "Notify me in this browser" }).waitFor();
    await fail("Slack water");
    await other.getByRole("link", { name: "Slack water", exact: true }).waitFor();
    expect(await titles()).toEqual(["High water"]);
    expect(await other.evaluate("navigator.locks.query().then(({ held }) => held.length)")).toBe(0);
    expect(visitor.faults).toEqual([]);
  });
});

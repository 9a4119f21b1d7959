/** Waiting for reviews: what ends a wait, what it answers, and what it never says. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openData } from "../../../db/open.ts";
import type { Context } from "../../../src/api/context.ts";
import { adminCaller } from "../../../src/core/auth/caller.ts";
import { parkedTotal } from "../../../src/library/review-requests/review-changes.ts";
import { waitForReview } from "../../../src/library/review-requests/wait.ts";
import type { ReviewWait } from "../../../src/library/review-requests/wait-schema.ts";
import { reviewAsset } from "../../../src/library/verdicts/review.ts";
import { dialects, must, until } from "../../support/harness.ts";
import { type Library, openLibrary } from "../../support/library.ts";
import { plantSet } from "../../support/review/variant-sets.ts";

describe.each(dialects)("waiting for a review on %s", (dialect) => {
  let library: Library;
  beforeAll(async () => {
    library = await openLibrary(dialect, "disk");
  });
  afterAll(() => library.close());

  const get = (ids: string[], query = "") => library.say<ReviewWait>(`/assets/${ids.join()}/review${query}`);
  const reject = (id: string) => library.review(id, { decision: "rejected", note: "Too dark." });
  const pendings = (count: number) =>
    Promise.all(Array.from({ length: count }, async () => (await library.plant()).id));

  test("answers at once without a wait, and says that pending is not an approval", async () => {
    const { id, sha256 } = await library.plant();
    const { status, body } = await get([id]);
    expect([status, body.state, body.timeout_applied]).toEqual([200, "pending", 0]);
    expect(body.next).toContain("not an approval");
    expect(body.items).toEqual([
      {
        ...{ id, status: "pending", note: null, reviewed_by: null, reviewed_at: null, sha256 },
        ...{ decision_id: null, review_url: `http://svc.test/assets/${id}` },
      },
    ]);
  });

  test("ends with a rejection, which names its note and its decision", async () => {
    const { id } = await library.plant();
    const waiting = get([id], "?wait=40");
    await until(() => isParked(library), "it is parked");
    await reject(id);
    const { body } = await waiting;
    const [decision] = (await library.ctx.data.currentDecisions("atlas", 50)).filter(
      ({ source_ref }) => source_ref === id,
    );
    expect([body.state, body.timeout_applied]).toEqual(["decided", 40]);
    expect(body.items[0]).not.toContainKey("review_url");
    expect(body.items).toMatchObject([
      { id, status: "rejected", note: "Too dark.", reviewed_by: "token:tester", decision_id: decision?.id },
    ]);
    expect(body.next).toStartWith("Rejected:");
    expect((await get([id], "?wait=40")).body).toEqual(body);
  });

  test("ends when a new version replaces the asset", async () => {
    const { id } = await library.plant();
    const waiting = get([id], "?wait=40");
    await until(() => isParked(library), "it is parked");
    await library.plant({}, id);
    expect((await waiting).body).toMatchObject({ state: "gone", items: [{ status: "superseded" }] });
  });

  test("goes on after its cursor, once for each review, until all are decided", async () => {
    const [first, second] = (await pendings(2)) as [string, string];
    await library.review(first, { decision: "approved" });
    const one = (await get([first, second], "?wait=40")).body;
    expect([one.state, one.next]).toEqual([
      "decided",
      "Others are still pending: call again with this cursor.",
    ]);
    const again = (await get([first, second], `?after=${one.cursor}`)).body;
    expect([again.state, again.cursor]).toEqual(["pending", one.cursor]);
    const waiting = get([second, first], `?wait=40&after=${one.cursor}`);
    await until(() => isParked(library), "it is parked");
    await reject(first); // a second review of the same asset
    const two = (await waiting).body;
    expect([two.state, two.cursor === one.cursor]).toEqual(["decided", false]);
    await library.review(second, { decision: "approved" });
    const done = (await get([first, second], `?wait=40&after=${two.cursor}`)).body;
    expect((await get([first, second], `?wait=40&after=${done.cursor}`)).body).toEqual(done);
  });

  test("ends after the timeout, at most 50 seconds, and is still pending", async () => {
    const { id } = await library.plant();
    const { body } = await get([id], "?wait=1");
    expect([body.state, body.timeout_applied]).toEqual(["pending", 1]);
    await library.review(id, { decision: "approved" });
    expect((await get([id], "?wait=86400")).body).toMatchObject({ state: "decided", timeout_applied: 50 });
    const { body: refused } = await get([id], "?wait=-1");
    expect<unknown>(refused).toMatchObject({ detail: "wait must be an integer of at least 0." });
  });

  test("of a set ends when all its variants are decided, and names the picked ones first", async () => {
    const [one, two, three] = (await plantSet(library, "hero", 3)).map(({ id }) => id);
    const ofSet = (query: string) => library.say<ReviewWait>(`/assets/review?project=atlas&set=hero${query}`);
    const waiting = ofSet("&wait=40");
    await until(() => isParked(library), "it is parked");
    await reject(must(one));
    const partly = (await ofSet("")).body;
    expect([partly.state, partly.set]).toEqual([
      "pending",
      {
        ...{ variants: 3, pending: 2, approved: 0, rejected: 1 },
        review_url: "http://svc.test/projects/atlas/sets/hero",
      },
    ]);
    expect(partly.next).toContain("at http://svc.test/projects/atlas/sets/hero.");
    expect(partly.items.map(({ id }) => id)).toEqual([must(one)]);
    await library.review(must(two), { decision: "approved" });
    expect((await ofSet(`&after=${partly.cursor}`)).body.state).toBe("decided");
    await reject(must(three));
    const { body } = await waiting;
    expect([body.state, body.timeout_applied]).toEqual(["decided", 40]);
    expect(body.set).toEqual({ variants: 3, pending: 0, approved: 1, rejected: 2 });
    expect(body.items.map(({ id, status }) => [id, status])).toEqual([
      [must(two), "approved"],
      [must(one), "rejected"],
      [must(three), "rejected"],
    ]);
    expect(body.next).toStartWith("The set is decided.");
    expect((await library.say("/assets/review?project=atlas&set=none")).status).toBe(404);
    const other = await library.mint(["assets:read"], { projects: ["borealis"] });
    const refused = await library.say("/assets/review?project=atlas&set=hero", { token: other });
    expect(refused.status).toBe(404);
    await expect(waitForReview(library.ctx, { project: "atlas" }, adminCaller)).rejects.toThrow("a set");
  });

  test("takes 20 assets that the caller may read, and refuses unknown ones", async () => {
    const ids = await pendings(20);
    expect((await get(ids)).body.items.map(({ id }) => id)).toEqual(ids);
    expect((await get([...ids, "01KJMMA2G04TRJQTGZ9SY6NSVZ"])).status).toBe(400);
    expect((await get([ids[0] as string, "01KJMMA2G04TRJQTGZ9SY6NSVZ"])).status).toBe(404);
    const token = await library.mint(["assets:read"], { projects: ["borealis"] });
    expect((await library.say(`/assets/${ids[0]}/review`, { token })).status).toBe(404);
  });

  test("parks 8 calls of a token, and the next one is told to wait for several assets", async () => {
    const ids = await pendings(9);
    const waits = ids.slice(0, 8).map((id) => get([id], "?wait=40"));
    await until(async () => (await get([ids[8] as string], "?wait=1")).status === 429, "8 are parked");
    const { status, headers, body } = await get([ids[8] as string], "?wait=40");
    expect([status, headers.get("retry-after")]).toEqual([429, "5"]);
    expect(body.detail).toContain("already has 8 open waits");
    await Promise.all(ids.map((id) => library.review(id, { decision: "approved" })));
    expect((await Promise.all(waits)).map(({ body }) => body.state)).toEqual(Array(8).fill("decided"));
    expect((await get([ids[0] as string], "?wait=40")).status).toBe(200);
  });

  test("sees a review between its read and its park, by this process and by another", async () => {
    const elsewhere = await openData(library.url, { now: library.clock.now, log() {} });
    const nodes: Context[] = [library.ctx, { ...library.ctx, data: elsewhere }];
    for (const reviewer of nodes) {
      // It reads what it waits for, and whether that has changed once it is parked.
      for (const name of ["reviewStates", "settledReviews"] as const) {
        const { id } = await library.plant();
        let reads = 0;
        // the review commits after the wait has read the row, and before that read returns
        const data = Object.assign(Object.create(library.ctx.data), {
          async [name](...args: unknown[]) {
            const read = library.ctx.data[name] as (...args: unknown[]) => Promise<unknown>;
            const found = await read(...args);
            if (++reads === 1) await reviewAsset(reviewer, { id, decision: "approved" }, adminCaller);
            return found;
          },
        });
        const answer = await waitForReview(
          { ...library.ctx, data },
          { ids: [id], timeout_s: 40 },
          adminCaller,
        );
        expect([name, answer.state]).toEqual([name, "decided"]);
      }
    }
    await elsewhere.close();
  });

  test("is woken by reviews of its own assets alone: others do not read them again", async () => {
    const [own, other] = (await pendings(2)) as [string, string];
    let reads = 0;
    const data = Object.assign(Object.create(library.ctx.data), {
      reviewStates(...args: Parameters<Context["data"]["reviewStates"]>) {
        reads++;
        return library.ctx.data.reviewStates(...args);
      },
    });
    const wait = (id: string) =>
      waitForReview({ ...library.ctx, data }, { ids: [id], timeout_s: 40 }, adminCaller);
    const [waiting, others] = [wait(own), wait(other)];
    await until(() => parkedTotal(library.ctx.feedNotifier) === 2, "both are parked");
    expect(reads).toBe(2);
    await reject(other);
    expect((await others).state).toBe("decided");
    expect(reads).toBe(3);
    await reject(own);
    expect((await waiting).state).toBe("decided");
    expect(reads).toBe(4);
  });
});

/** Whether a call of the token waits for a change. */
const isParked = ({ ctx }: Library): boolean => parkedTotal(ctx.feedNotifier) > 0;

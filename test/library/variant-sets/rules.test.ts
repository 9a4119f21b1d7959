/** The review of a variant set under a review policy, and with a checklist. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { allScopes } from "../../../src/core/auth/scopes.ts";
import type { Today } from "../../../src/overview/today/schema.ts";
import { page, post, signIn } from "../../support/browser/site.ts";
import { must } from "../../support/harness.ts";
import { type Library, openLibrary } from "../../support/library.ts";
import { type Reviewers, reviewersOf } from "../../support/review/reviewers.ts";
import { plantSet, reviewSet, type SetVerdicts } from "../../support/review/variant-sets.ts";

let library: Library;
let reviewers: Reviewers;
beforeAll(async () => {
  library = await openLibrary("sqlite", "disk");
  reviewers = reviewersOf(library);
});
afterAll(async () => {
  expect(await library.ctx.data.findInconsistencies()).toEqual([]);
  await library.close();
});

const statuses = (ids: readonly { id: string }[]) =>
  Promise.all(ids.map(async ({ id }) => (await reviewers.detail(id)).status));
const html = async (path: string, token: string) =>
  (await (await page(library, path, (await signIn(library, token)).cookie)).text())
    .replace(/<!--.*?-->/g, "")
    .replace(/\s+/g, " ");

describe("a set under a policy of two approvals", () => {
  let project = "";
  let ana = "";
  let lee = "";
  beforeAll(async () => {
    const roles = ["design", "legal"];
    project = await reviewers.project(roles.map((role) => ({ role, count: 1 })));
    const person = (name: string, review_role: string) =>
      library.mint(allScopes, { name, review_role, projects: [project] });
    [ana, lee] = [await person("ana", "design"), await person("lee", "legal")];
  });

  const plant = (set: string, count: number, created_by = "agent:codex") =>
    plantSet(library, set, count, { project, created_by });
  const review = (token: string, verdicts: Omit<SetVerdicts, "token">) =>
    reviewSet(library, { project, token, ...verdicts });
  const queued = async (token: string, set: string) => {
    const { reviews } = (await library.say<Today>("/today", { token })).body;
    return reviews?.queues.flatMap(({ sets }) => sets).find((one) => one.set === set)?.count ?? 0;
  };
  const decision = async (set: string) =>
    must(
      (await library.ctx.data.currentDecisions(project, 100)).find(
        ({ source_ref }) => source_ref === `set:${set}`,
      ),
    ).text.split("\n")[0];

  test("the picked ones wait for 1 more, and the set stays in the queue of the others", async () => {
    const [one, two, three] = (await plant("dawn", 3)).map((row) => must(row));
    const variants = [must(one), must(two), must(three)];
    const { body } = await review(ana, {
      set: "dawn",
      pick: [must(one)],
      reject: [must(two)],
      note: "Dark.",
    });
    expect(body.reviewed.map(({ status, error }) => [status, error])).toEqual([
      ["rejected", null],
      ["pending", null],
    ]);
    expect(await statuses(variants)).toEqual(["pending", "rejected", "pending"]);
    expect((await reviewers.detail(must(one).id)).approvals).toEqual({
      ...{ have: 1, need: 2, missing: [{ role: "legal", count: 1 }] },
    });
    expect([await queued(ana, "dawn"), await queued(lee, "dawn")]).toEqual([1, 2]);
    const text = await html(`/projects/${project}/sets/dawn`, lee);
    expect(text.split("waiting for 1 more: legal")).toHaveLength(2);
    expect(await decision("dawn")).toBe('Picked 1 of 3 variants of "dawn" over the others: Dark.');
    await review(lee, { set: "dawn", pick: [must(one)], reject: [must(three)], note: "Flat." });
    expect(await statuses(variants)).toEqual(["approved", "rejected", "rejected"]);
    expect([await queued(ana, "dawn"), await queued(lee, "dawn")]).toEqual([0, 0]);
  });

  test("what a reviewer has picked stays picked on the page, and in the decision", async () => {
    const [one, two, three] = (await plant("dusk", 3)).map((row) => must(row));
    await review(ana, { set: "dusk", pick: [must(one)], reject: [must(two)], note: "Dark." });
    const isChecked = async (token: string) =>
      /<input[^>]*name="pick[^>]*checked/.test(await html(`/projects/${project}/sets/dusk`, token));
    expect([await isChecked(ana), await isChecked(lee)]).toEqual([true, false]);
    await review(lee, { set: "dusk", pick: [], reject: [must(three)], note: "Flat." });
    expect(await decision("dusk")).toBe('Picked 1 of 3 variants of "dusk" over the others: Flat.');
  });

  test("an approval that waits counts when it is given again after a change of the policy", async () => {
    const own = await reviewers.project(["design", "legal"].map((role) => ({ role, count: 1 })));
    const token = await library.mint(allScopes, { review_role: "design" });
    const pick = await plantSet(library, "noon", 1, { project: own });
    const given = { project: own, token, set: "noon", pick };
    expect((await reviewSet(library, given)).body.reviewed[0]?.status).toBe("pending");
    const need = [{ role: "design", count: 1 }];
    await library.say(`/projects/${own}/review-policies/file`, { method: "PUT", json: { need }, token });
    expect((await reviewSet(library, given)).body.reviewed[0]?.status).toBe("approved");
  });

  test("its maker may reject own variants, and not approve them", async () => {
    const [one, two] = (await plant("own", 2, "human:ana")).map((row) => must(row));
    const { body } = await review(ana, { set: "own", pick: [must(one)], reject: [must(two)], note: "Mine." });
    expect(body.refused).toBe(1);
    expect(body.reviewed.find(({ id }) => id === must(one).id)).toMatchObject({
      ...{ status: "pending", error: { status: 409, detail: expect.stringContaining("You made this") } },
    });
    expect(await statuses([must(one), must(two)])).toEqual(["pending", "rejected"]);
    expect(await decision("own")).toBe('Picked none of 2 variants of "own": Mine.');
  });
});

describe("a set with a checklist", () => {
  let project = "";
  beforeAll(async () => {
    project = await reviewers.project([], [{ text: "Logo visible" }, { text: "Calm", required: false }]);
  });
  const answers = (result: string, version = 1) => ({
    checklist: { version, answers: [{ id: "logo-visible", result }] },
  });

  test("is refused whole until its required items are answered, and the answers hold for the picked ones", async () => {
    const variants = await plantSet(library, "logos", 3, { project });
    const [one, ...rest] = variants;
    const given = { project, set: "logos", pick: [must(one)], reject: rest, note: "Crooked." };
    for (const [more, status, detail] of [
      [{}, 400, 'answer the required item "'],
      [answers("fail"), 400, "failed. Reject the asset"],
      [answers("pass", 2), 409, "The checklist has changed"],
    ] as const) {
      const refused = await reviewSet(library, { ...given, more });
      expect([refused.status, refused.body.detail]).toEqual([status, expect.stringContaining(detail)]);
    }
    expect(await statuses(variants)).toEqual(["pending", "pending", "pending"]);
    expect((await reviewSet(library, { ...given, more: answers("pass") })).body.refused).toBe(0);
    expect(await statuses(variants)).toEqual(["approved", "rejected", "rejected"]);
    const checklists = await Promise.all(
      variants.map(async ({ id }) => must((await reviewers.detail(id)).verdicts[0]).checklist?.version),
    );
    expect(checklists).toEqual([1, undefined, undefined]);
  });

  test("needs no answers when nothing is picked", async () => {
    const variants = await plantSet(library, "none", 2, { project });
    const { status } = await reviewSet(library, {
      ...{ project, set: "none", pick: [], reject: variants, note: "Crooked." },
    });
    expect([status, await statuses(variants)]).toEqual([200, ["rejected", "rejected"]]);
  });

  test("has its items on the page, whose answers are sent with the picks", async () => {
    const [one, two] = (await plantSet(library, "form", 2, { project })).map((row) => must(row));
    const token = await library.mint(allScopes);
    const path = `/projects/${project}/sets/form`;
    const { cookie, csrf } = await signIn(library, token);
    const send = async (fields: Record<string, string>) => {
      const form = { csrf, rest: "reject", note: "Crooked.", [`pick-${must(one).id}`]: "1", ...fields };
      const shown = `${must(one).id},${must(two).id}`;
      return post(library, `${path}/review`, { shown, ...form }, { cookie });
    };
    expect(await html(path, token)).toContain('name="check-logo-visible"');
    const refused = await send({ checklist_version: "1" });
    expect([refused.status, await refused.text()]).toEqual([409, expect.stringContaining("required item")]);
    expect(await statuses([must(one), must(two)])).toEqual(["pending", "pending"]);
    await send({ checklist_version: "1", "check-logo-visible": "pass" });
    expect(await statuses([must(one), must(two)])).toEqual(["approved", "rejected"]);
  });
});

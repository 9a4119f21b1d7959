/** Checklists over the API, and the answers of reviews. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { allScopes } from "../../../src/core/auth/scopes.ts";
import type { Checklist, ChecklistSet, NewItem } from "../../../src/library/checklists/schema.ts";
import { dialects } from "../../support/harness.ts";
import { assetScopes, type Library, openLibrary } from "../../support/library.ts";
import { type Reviewers, reviewersOf } from "../../support/review/reviewers.ts";

const items: NewItem[] = [{ text: "Logo visible" }, { text: "Calm", required: false }];
const pass = { version: 1, answers: [{ id: "logo-visible", result: "pass" }] };

describe.each(dialects)("a checklist on %s", (dialect) => {
  let library: Library;
  let reviewers: Reviewers;
  let project = "";
  let admin = "";
  beforeAll(async () => {
    library = await openLibrary(dialect, "disk");
    reviewers = reviewersOf(library);
    project = await reviewers.project([], items);
    admin = await library.mint(allScopes);
  });
  afterAll(() => library.close());

  const plant = async () => (await library.plant({ project })).id;
  const review = (id: string, values: object) => reviewers.review(id, library.token, { ...values });
  const path = (slug = project) => `/projects/${slug}/checklists/file`;
  const set = (given: NewItem[], slug = project, token = admin) =>
    library.say<ChecklistSet>(path(slug), { method: "PUT", json: { items: given }, token });

  test("gets a new version with each change, and keeps the ids of its items", async () => {
    const slug = await reviewers.project();
    expect((await library.say(path(slug))).status).toBe(404);
    expect((await set(items, slug)).body).toMatchObject({ version: 1, changed: true });
    expect((await set(items, slug)).body).toMatchObject({ version: 1, changed: false });
    const changed = [...items, { text: "Sharp" }];
    expect((await set(changed, slug)).body).toMatchObject({
      ...{ version: 2, items: [{ id: "logo-visible" }, { id: "calm" }, { id: "sharp", required: true }] },
    });
    expect((await library.say<Checklist>(`${path(slug)}?version=1`)).body.items).toHaveLength(2);
    expect((await set([], slug)).body).toMatchObject({ version: 3, items: [], changed: true });
    expect((await library.say(path(slug))).body.detail).toBe(`${slug} has no checklist for the kind file.`);
    expect((await library.say(`/projects/${slug}/checklists`)).body).toEqual({ checklists: [] } as never);
  });

  test("is set with the scope reviews:write alone, in a project that the token can access", async () => {
    expect((await set(items, project, await library.mint(assetScopes))).status).toBe(403);
    const elsewhere = await library.mint(allScopes, { projects: ["atlas"] });
    expect((await set(items, project, elsewhere)).status).toBe(404);
    expect((await library.say(path(), { token: elsewhere })).status).toBe(404);
  });

  test("refuses an approval unless each required item passes, whatever the optional ones do", async () => {
    const id = await plant();
    for (const checklist of [undefined, { version: 1, answers: [{ id: "calm", result: "pass" }] }]) {
      const { status, body } = await review(id, { decision: "approved", checklist });
      expect([status, body.detail]).toEqual([400, expect.stringContaining("Logo visible")]);
    }
    const failed = { version: 1, answers: [{ id: "logo-visible", result: "fail" }] };
    expect((await review(id, { decision: "approved", checklist: failed })).status).toBe(400);
    const checklist = { version: 1, answers: [...pass.answers, { id: "calm", result: "fail" }] };
    const { status, body } = await review(id, { decision: "approved", checklist });
    expect([status, body.status]).toEqual([200, "approved"]);
  });

  test("is part of the verdict, with the texts that were answered", async () => {
    const id = await plant();
    const checklist = { version: 1, answers: [{ id: "calm", result: "na" }, ...pass.answers] };
    await review(id, { decision: "approved", checklist });
    expect((await reviewers.detail(id)).verdicts).toMatchObject([
      {
        checklist: {
          version: 1,
          answers: [
            { id: "logo-visible", text: "Logo visible", required: true, result: "pass" },
            { id: "calm", text: "Calm", required: false, result: "na" },
          ],
        },
      },
    ]);
  });

  test("makes a rejection of a failed item, also without a note, and the decision names it", async () => {
    const id = await plant();
    const checklist = {
      version: 1,
      answers: [
        { id: "logo-visible", result: "fail", note: "cut off at the left" },
        { id: "calm", result: "fail" },
      ],
    };
    const { body } = await review(id, { decision: "rejected", checklist });
    expect(body).toMatchObject({ status: "rejected", review_note: expect.any(String) });
    const [decision] = await library.ctx.data.currentDecisions(project, 10);
    expect(decision?.text.split("\n").slice(1)).toEqual([
      '[must] checklist "Logo visible": cut off at the left',
      '[must] checklist "Calm"',
    ]);
    expect((await review(await plant(), { decision: "rejected", checklist: pass })).status).toBe(400);
  });

  test("refuses answers to another version, to unknown items, and two of one item", async () => {
    const id = await plant();
    const decision = "approved";
    expect((await review(id, { decision, checklist: { ...pass, version: 2 } })).status).toBe(409);
    const unknown = { version: 1, answers: [...pass.answers, { id: "sound", result: "pass" }] };
    expect((await review(id, { decision, checklist: unknown })).body.detail).toContain('"sound"');
    const twice = { version: 1, answers: [...pass.answers, ...pass.answers] };
    expect((await review(id, { decision, checklist: twice })).status).toBe(400);
    const other = await library.plant();
    expect((await review(other.id, { decision, checklist: pass })).status).toBe(409);
  });
});

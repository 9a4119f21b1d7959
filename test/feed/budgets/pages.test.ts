/** Budgets on the usage page and on Today: forms that work without scripts, and what others see. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { page, post, type Session, signIn } from "../../support/browser/site.ts";
import { event, link, openApp, type TestApp } from "../../support/harness.ts";

describe("budgets on the pages", () => {
  let app: TestApp;
  let admin: Session;
  let reader: Session;
  beforeAll(async () => {
    app = await openApp("sqlite");
    await link(app.ctx.data, "atlas");
    admin = await signIn(app, await app.mint(["feed:read", "budgets:write"]));
    reader = await signIn(app, await app.mint(["feed:read"]));
  });
  afterAll(() => app.close());

  const submit = ({ cookie, csrf }: Session, path: string, fields: Record<string, string> = {}) =>
    post(app, path, { csrf, ...fields }, { cookie });
  const html = async (path: string, { cookie }: Session) => (await page(app, path, cookie)).text();
  const month = { project: "atlas", lane: "", model: "", period: "month", amount: "200" };

  const form = (attributes: string) => `<details class="decide"${attributes}><summary>Set a budget</summary>`;

  test("are set by a form, which is open while the page has nothing else", async () => {
    expect(await html("/usage", admin)).toContain(form(" open"));
    await app.ctx.data.append([event({ kind: "step.usage", project: "atlas", cost_equiv: 0, tokens_in: 1 })]);
    expect(await html("/usage", admin)).toContain(form(""));
  });

  test("are set by a form, shown with a bar, told on Today from 80% on, and removed", async () => {
    expect(await html("/usage", reader)).not.toContain("Budgets");
    const set = await submit(admin, "/usage/budgets", month);
    expect([set.status, set.headers.get("location")]).toEqual([303, "/usage#budgets"]);
    await app.ctx.data.append([event({ kind: "step.usage", project: "atlas", cost_equiv: 120 })]);
    expect(await html("/usage", reader)).toContain('aria-label="60% spent"');
    expect(await html("/", reader)).not.toContain("Budget &#39;atlas");
    await app.ctx.data.append([event({ kind: "step.usage", project: "atlas", cost_equiv: 40.2 })]);
    for (const visitor of [reader, admin])
      expect(await html("/", visitor)).toContain("is at $160.20 of $200 (80%), $39.80 left.");
    const shown = await html("/usage", admin);
    const [, path = ""] = /action="(\/usage\/budgets\/\d+\/remove)"/.exec(shown) ?? [];
    expect(await html("/usage", reader)).not.toContain(path);
    expect((await submit(reader, path)).status).toBe(403);
    expect((await submit(admin, path)).status).toBe(303);
    expect((await submit(admin, path)).status).toBe(404);
    expect(await html("/", reader)).not.toContain("$160.20 of");
  });

  test("are of a team or a person once there are any", async () => {
    expect(await html("/usage", admin)).not.toMatch(/name="(team|person)"/);
    await app.ctx.data.atomically((writes) =>
      writes.savePerson({ id: "dana", name: null, team: "maps", created_at: 1, removed_at: null }),
    );
    expect(await html("/usage", admin)).toMatch(/name="team".*"maps".*name="person".*"dana"/s);
    expect((await submit(admin, "/usage/budgets", { ...month, person: "dana" })).status).toBe(303);
    expect(await html("/usage", reader)).toContain("atlas, dana, month");
  });

  test("that are refused keep what was typed, and say what to do", async () => {
    const refused = await submit(admin, "/usage/budgets", { ...month, project: "nowhere", model: "m<1>" });
    const text = await refused.text();
    expect([refused.status, text.includes("No project with slug")]).toEqual([404, true]);
    expect(text).toContain('value="m&lt;1>"');
    expect((await submit(admin, "/usage/budgets", { ...month, amount: "much" })).status).toBe(400);
    expect((await submit(reader, "/usage/budgets", month)).status).toBe(403);
    const stranger = { ...admin, csrf: reader.csrf };
    expect((await submit(stranger, "/usage/budgets", month)).status).toBe(403);
  });
});

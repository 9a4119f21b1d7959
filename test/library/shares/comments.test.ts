/** Comments of people with a share link, and their verdicts under a review policy and with a checklist. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { allScopes } from "../../../src/core/auth/scopes.ts";
import type { AnnotationList } from "../../../src/library/annotations/schema.ts";
import type { AssetDetail } from "../../../src/library/assets/schema.ts";
import { link, must } from "../../support/harness.ts";
import { type Library, openLibrary } from "../../support/library.ts";
import { createShare, openLink, plantText, verdict } from "../../support/review/shares.ts";

let library: Library;
let admin: string;
beforeAll(async () => {
  library = await openLibrary("sqlite", "disk");
  admin = await library.mint(allScopes, { name: "ada" });
});
afterAll(() => library.close());

describe("a comment by a share link", () => {
  const comment = (sha256: string, body = "The logo is cut off.") => ({
    ...{ name: "Ana Lima", sha256, body, weight: "should" },
  });

  test("is an annotation of the origin share, in the name that was typed, and in the log", async () => {
    const asset = await plantText(library);
    const { id, link: path } = await createShare(library, asset.id, { rights: "comment" });
    const guest = await openLink(library, path);
    const sent = await guest.send("comment", comment(asset.sha256));
    expect(sent.headers.get("location")).toBe(`${guest.path}?done=comment&mark=1#mark-1`);
    const { body } = await library.say<AnnotationList>(`/assets/${asset.id}/annotations`);
    expect(body.annotations).toMatchObject([
      {
        ...{ body: "The logo is cut off.", origin: "share", by: "human:Ana-Lima(not-verified)" },
        ...{ state: "open", weight: "should", sha256: asset.sha256, target: null },
      },
    ]);
    const log = await library.ctx.data.shareViews(id, { limit: 9 });
    expect(log.find(({ action }) => action === "commented")).toMatchObject({ name: "Ana Lima" });
    expect(await (await guest.page()).text()).toContain("The logo is cut off.");
  });

  test("is shown to this link alone: not those of the team, and not of another link with the same name", async () => {
    const asset = await plantText(library);
    const [one, other] = [
      await createShare(library, asset.id, { rights: "comment" }),
      await createShare(library, asset.id, { rights: "verdict" }),
    ];
    const inner = { body: "Between us: too dark." };
    await library.say(`/assets/${asset.id}/annotations`, { json: inner });
    const [guest, second] = [await openLink(library, one.link), await openLink(library, other.link)];
    await guest.send("comment", comment(asset.sha256));
    await second.send("comment", comment(asset.sha256, "Mine alone."));
    const [shown, shownToOther] = [await (await guest.page()).text(), await (await second.page()).text()];
    expect(shown).toContain("The logo is cut off.");
    for (const word of ["Between us", "Mine alone."]) expect(shown).not.toContain(word);
    expect(shownToOther).toContain("Mine alone.");
    expect(shownToOther).not.toContain("The logo is cut off.");
  });

  test("is refused blank, for other bytes, from a link to view, and keeps what was typed", async () => {
    const asset = await plantText(library);
    const { link: path } = await createShare(library, asset.id, { rights: "comment" });
    const viewer = await openLink(library, (await createShare(library, asset.id)).link);
    const guest = await openLink(library, path);
    const blank = await guest.send("comment", comment(asset.sha256, " "));
    expect([blank.status, (await guest.send("comment", comment("f".repeat(64)))).status]).toEqual([400, 409]);
    expect(await blank.text()).toContain('value="Ana Lima"');
    const csrf = await guest.csrf();
    expect((await viewer.post("comment", { csrf, ...comment(asset.sha256) })).status).toBe(404);
    const text = "<img src=x onerror=alert(1)>";
    await guest.send("comment", comment(asset.sha256, text));
    expect(await (await guest.page()).text()).not.toContain("<img src=x");
  });

  test("can be sent thirty times in ten minutes", async () => {
    const asset = await plantText(library);
    const { link: path } = await createShare(library, asset.id, { rights: "comment" });
    const guest = await openLink(library, path);
    const fields = { csrf: await guest.csrf(), ...comment(asset.sha256, " ") };
    const answers = new Set<number>();
    for (let count = 0; count < 30; count++) answers.add((await guest.post("comment", fields)).status);
    expect([...answers, (await guest.post("comment", fields)).status]).toEqual([400, 429]);
  });
});

describe("under a review policy, a verdict by a share link", () => {
  const setPolicy = (need: { role: string; count: number }[]) =>
    library.say("/projects/policed/review-policies/file", { method: "PUT", json: { need }, token: admin });
  const plant = () => library.plant({ project: "policed", bytes: "words", created_by: "agent:codex" });
  const detail = async (id: string) => (await library.say<AssetDetail>(`/assets/${id}`)).body;
  async function approve(id: string, fields: Record<string, unknown>, token = admin) {
    const share = await createShare(library, id, { rights: "verdict", ...fields }, token);
    const guest = await openLink(library, share.link);
    const { sha256 } = must(await library.ctx.data.asset(null, id));
    expect((await guest.send("verdict", verdict({ sha256 }))).status).toBe(303);
    return guest;
  }
  beforeAll(async () => {
    await link(library.ctx.data, "policed");
    expect((await setPolicy([{ role: "design", count: 1 }])).status).toBe(200);
  });

  test("counts for its role, and for none without one", async () => {
    const { id } = await plant();
    const other = await library.mint(allScopes, { name: "cleo" });
    const guest = await approve(id, {}, other);
    expect(await detail(id)).toMatchObject({ status: "pending", approvals: { have: 0, need: 1 } });
    expect(await (await guest.page()).text()).toContain("You approved this version.");
    await approve(id, { role: "design" });
    expect((await detail(id)).status).toBe("approved");
  });

  test("counts once with that of its creator, however many links there are", async () => {
    await setPolicy([{ role: "design", count: 2 }]);
    const { id } = await plant();
    await approve(id, { role: "design" });
    await approve(id, { role: "design" });
    expect(await detail(id)).toMatchObject({ status: "pending", approvals: { have: 1, need: 2 } });
    const other = await library.mint(allScopes, { name: "bo" });
    await approve(id, { role: "design" }, other);
    expect((await detail(id)).status).toBe("approved");
  });
});

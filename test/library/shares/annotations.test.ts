/** The annotations that the page of a share shows, and those that its recipient adds. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Annotation, AnnotationList } from "../../../src/library/annotations/schema.ts";
import { must } from "../../support/harness.ts";
import { type Library, openLibrary } from "../../support/library.ts";
import { createShare, type Guest, openLink } from "../../support/review/shares.ts";

let library: Library;
let maria: string;
beforeAll(async () => {
  library = await openLibrary("sqlite", "disk");
  maria = await library.mint(["assets:read", "assets:review"], { name: "maria" });
});
afterAll(() => library.close());

const image = { kind: "image", mime: "image/png", width: 400, height: 300, bytes: "an image" } as const;
const plant = (replaces?: string) => library.plant({ ...image, title: "Harbor map" }, replaces);
const point = { shape: "point", x: 1800, y: 7400 };
const annotate = async (id: string, fields: Record<string, unknown>, token = maria) => {
  const json = { body: "The logo is cut off", ...fields };
  return (await library.say<Annotation>(`/assets/${id}/annotations`, { json, token })).body;
};
const listOf = async (id: string) =>
  (await library.say<AnnotationList>(`/assets/${id}/annotations?scope=chain`)).body.annotations;
const open = async (id: string, fields: Record<string, unknown>): Promise<Guest> =>
  openLink(library, (await createShare(library, id, fields)).link);
const textOf = async (guest: Guest, query?: string) => (await guest.page(query)).text();
const pinsIn = (page: string): number => (page.match(/<g class="mark/g) ?? []).length;

describe("a share with all annotations", () => {
  test("shows them as pins and in a list, without names, and neither drafts nor what was withdrawn", async () => {
    const { id } = await plant();
    const first = await annotate(id, { target: point, by: "human:maria" });
    await annotate(id, { body: "Moved it up", parent_id: first.id, by: "human:maria" });
    await annotate(id, { body: "Draft: too blue", draft: true });
    const reply = { body: "Draft: really?", parent_id: first.id, draft: true };
    await annotate(id, reply);
    const { id: withdrawn } = await annotate(id, { body: "Never mind" });
    await library.say(`/annotations/${withdrawn}`, { json: { state: "withdrawn" }, token: maria });
    const other = await open(id, { rights: "comment" });
    const { sha256 } = must(await library.ctx.data.asset(null, id));
    await other.send("comment", { name: "Bo Holm", sha256, body: "Too small", weight: "nit" });

    for (const rights of ["view", "comment", "verdict"]) {
      const page = await textOf(await open(id, { rights, annotations: "all" }));
      for (const text of ["The logo is cut off", "Moved it up", "Too small", "someone with another link"])
        expect([rights, page]).toEqual([rights, expect.stringContaining(text)]);
      for (const text of ["maria", "Holm", "tester", "Draft:", "Never mind", "<style", "onclick"])
        expect([rights, page]).toEqual([rights, expect.not.stringContaining(text)]);
      expect([rights, pinsIn(page), page.includes("<form")]).toEqual([rights, 1, rights !== "view"]);
      const part = await textOf(await open(id, { rights, annotations: "all" }), "?parts=&mark=1");
      expect([part.includes("The logo is cut off"), part.includes("Draft:")]).toEqual([true, false]);
    }
    const own = await textOf(await open(id, { rights: "verdict" }));
    expect([pinsIn(own), own.includes("cut off"), own.includes("Too small")]).toEqual([0, false, false]);
  });

  test("and to the newest version, shows what is still open in earlier ones, but not their files", async () => {
    const first = await plant();
    await annotate(first.id, { target: point });
    const { id: settled } = await annotate(first.id, { body: "Too dark" });
    const fields = { rights: "comment", annotations: "all" };
    const fixed = await open(first.id, fields);
    const latest = await open(first.id, { ...fields, follows: "latest" });
    const second = await plant(first.id);
    await library.say(`/annotations/${settled}`, { json: { state: "honoured" }, token: maria });
    const page = await textOf(latest);
    expect([
      page.includes("From version 1"),
      page.includes("Too dark"),
      page.match(/ghost/g)?.length,
    ]).toEqual([true, false, 1]);
    expect([page.includes(second.id), page.includes(`/${first.id}/`)]).toEqual([true, false]);
    const old = await textOf(fixed);
    expect([old.includes("A newer version has replaced this one"), old.includes(second.id)]).toEqual([
      true,
      false,
    ]);
    expect([old.includes("Add an annotation"), old.includes("Reply")]).toEqual([false, true]);
  });
});

describe("an annotation of a recipient", () => {
  test("has a place and a weight, a reply has a thread that the share shows, and the name is remembered", async () => {
    const { id, sha256 } = await plant();
    const team = await annotate(id, { body: "Between us" });
    const guest = await open(id, { rights: "comment" });
    const name = "Ana Lima";
    const marked = await guest.send("comment", {
      ...{ name, sha256, do: "add", body: "Cut off", weight: "must", x: "18", y: "74", w: "5", h: "5.5" },
    });
    expect(marked.status).toBe(303);
    expect(marked.headers.get("set-cookie")).toMatch(
      /^svc_share_name=Ana%20Lima; Path=\/s\/\w{26}; HttpOnly; SameSite=Lax; Max-Age=43200$/,
    );
    const [, own] = await listOf(id);
    const target = { shape: "rect", x: 1800, y: 7400, w: 500, h: 550 };
    expect(own).toMatchObject({ weight: "must", state: "open", origin: "share", target });
    const reply = (annotation: string) =>
      guest.send("comment", { name, do: "reply", body: "At the left", annotation });
    expect([(await reply(must(own).id)).status, (await reply(team.id)).status]).toEqual([303, 404]);
    expect((await reply("")).status).toBe(404);
    expect((await listOf(id)).map(({ body }) => body)).toEqual(["Between us", "Cut off", "At the left"]);
    const headers = { cookie: `${guest.cookie}; svc_share_name=Ana%20Lima` };
    const page = await (await library.ask(guest.path, { headers })).text();
    expect(page).toContain('autocomplete="name" value="Ana Lima"');
    expect([pinsIn(page), page.includes("Ana-Lima(not-verified)")]).toEqual([1, true]);
  });

  test("that is refused keeps its text; its place too, unless the file was replaced", async () => {
    const first = await plant();
    const guest = await open(first.id, { rights: "comment", follows: "latest" });
    const form = { name: "Ana", sha256: first.sha256, body: "Cut off", weight: "nit", x: "18", y: "74" };
    const wrong = await guest.send("comment", { ...form, x: "180" });
    expect([wrong.status, await wrong.text()]).toEqual([400, expect.stringContaining('value="180"')]);
    await library.plant({ ...image, bytes: "another image" }, first.id);
    const late = await guest.send("comment", form);
    const page = await late.text();
    expect([late.status, page.includes("Reload the page to see it.")]).toEqual([409, true]);
    expect([page.includes("Cut off"), page.includes('value="74"')]).toEqual([true, false]);
    expect(await listOf(first.id)).toEqual([]);
  });
});

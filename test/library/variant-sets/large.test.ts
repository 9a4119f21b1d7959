/** A variant set of 1,000: its page, its review, and what briefs and lists say of it stay bounded. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { allScopes } from "../../../src/core/auth/scopes.ts";
import type { AssetRow } from "../../../src/library/rows.ts";
import { page, post, type Session, signIn } from "../../support/browser/site.ts";
import { must } from "../../support/harness.ts";
import { type Library, openLibrary } from "../../support/library.ts";
import { reviewSet } from "../../support/review/variant-sets.ts";

const path = "/projects/atlas/sets/big";

describe("a set of 1,000 variants", () => {
  let library: Library;
  let session: Session;
  let reader = "";
  const variants: AssetRow[] = [];
  const plant = async (n: number) => {
    library.clock.advance(1);
    variants.push(await library.plant({ set: "big", title: `v${n}.png` }));
  };
  beforeAll(async () => {
    library = await openLibrary("sqlite", "disk");
    session = await signIn(library, await library.mint(allScopes, { name: "ana" }));
    reader = (await signIn(library, await library.mint(["assets:read"]))).cookie;
    for (let n = 1; n <= 1_000; n++) await plant(n);
  });
  afterAll(() => library.close());

  const textOf = async (response: Promise<Response>) =>
    (await (await response).text()).replace(/<!--.*?-->/g, "");
  const html = (query = "", cookie = session.cookie) => textOf(page(library, path + query, cookie));
  const titles = (text: string) => [...text.matchAll(/<bdi>(v\d+\.png)<\/bdi>/g)].map(([, title]) => title);
  const ids = () => variants.map(({ id }) => id);

  test("is shown 100 to a page", async () => {
    const first = await html();
    expect(first.length).toBeLessThan(200_000);
    expect([titles(first).length, titles(first)[0], titles(first)[99]]).toEqual([100, "v1.png", "v100.png"]);
    expect(titles(await html("?page=10"))[99]).toBe("v1000.png");
    for (const query of ["?page=0", "?page=x", "?page=-3"])
      expect(titles(await html(query))[0]).toBe("v1.png");
    expect(titles(await html("?page=99"))[0]).toBe("v901.png");
    expect(await html("", reader)).toContain('href="?page=10"');
  });

  test("keeps what is picked and written when the page is turned", async () => {
    const [one, other] = [must(variants[4]), must(variants[250])];
    const turned = await post(
      library,
      `${path}/review`,
      {
        ...{ csrf: session.csrf, shown: ids().join(","), page: "1", turn: "3", note: "Too dark." },
        [`pick-${one.id}`]: "1",
        [`pick-${other.id}`]: "1",
      },
      { cookie: session.cookie },
    );
    const text = await textOf(Promise.resolve(turned));
    expect([turned.status, titles(text).slice(0, 1), text.includes('value="Too dark."')]).toEqual([
      ...[200, ["v201.png"], true],
    ]);
    const checked = [...text.matchAll(/<input[^>]*name="pick-(\w+)"[^>]*checked/g)].map(([, id]) => id);
    expect(checked.toSorted()).toEqual([one.id, other.id].toSorted());
    expect(titles(text).slice(100)).toEqual(["v5.png"]);
  });

  test("is called by its number, and 1,000+ when there are more", async () => {
    const name = async () => /[\d,]+\+? variants/.exec(await textOf(page(library, "/", session.cookie)))?.[0];
    expect(await name()).toBe("1,000 variants");
    await plant(1_001);
    expect(await name()).toBe("1,000+ variants");
  });

  test("is reviewed in one call, and its decision fits a brief", async () => {
    const [one, ...rest] = variants.slice(0, 1_000);
    const given = { set: "big", pick: [must(one)], reject: rest, note: "Too dark to print." };
    const { status, body } = await reviewSet(library, given);
    expect([status, body.refused]).toEqual([200, 0]);
    const brief = await library.say<{ text: string }>("/projects/atlas/brief?intent=draw%20it&budget=2000", {
      token: await library.mint(allScopes),
    });
    const lines = brief.body.text.split("\n").filter((line) => line.includes("of 1001 variants"));
    expect(lines.map((line) => line.length < 1_200)).toEqual([true]);
  }, 60_000);

  test("more than 1,000 in one call are refused", async () => {
    const { status, body } = await reviewSet(library, { set: "big", pick: variants });
    expect([status, body.detail]).toEqual([400, expect.stringContaining("variants")]);
  });
});

/** How many versions a must takes, as the usage report counts it. */
import { expect, test } from "bun:test";
import type { Annotation } from "../../../src/library/annotations/schema.ts";
import type { RejectedUsage } from "../../../src/overview/usage/rejected-schema.ts";
import { dialects, must } from "../../support/harness.ts";
import { openLibrary } from "../../support/library.ts";

test.each(dialects)("a must counts the versions until a person confirmed it, on %s", async (dialect) => {
  await using library = await openLibrary(dialect, "disk");
  const one = await library.plant();
  const annotations = new Map<string, string>();
  for (const [body, weight] of [
    ["A", "must"],
    ["B", "must"],
    ["C", "must"],
    ["D", "nit"],
  ] as const) {
    const { body: added } = await library.say<Annotation>(`/assets/${one.id}/annotations`, {
      json: { body, weight },
    });
    annotations.set(body, added.id);
  }
  const setState = (body: string, state: string) =>
    library.say(`/annotations/${must(annotations.get(body))}`, { json: { state } });
  const token = await library.mint(["feed:read"]);
  const musts = async (query = "", as = token) =>
    (await library.say<RejectedUsage>(`/usage/rejected?${query}`, { token: as })).body.musts;
  expect(await musts()).toEqual({ confirmed: 0, attempts: 0, most: 0 });
  const two = await library.plant({}, one.id);
  const [first] = [
    await library.say(`/assets/${two.id}/annotations/respond`, {
      json: { n: [1, 2, 4], state: "addressed" },
    }),
  ];
  expect(first.status).toBe(200);
  await setState("A", "honoured");
  await setState("D", "honoured");
  await setState("B", "open");
  await library.plant({}, two.id);
  expect(await musts()).toEqual({ confirmed: 1, attempts: 1, most: 1 });
  await library.say(
    `/assets/${(await library.plant({}, (await newest(two.root_id)).id)).id}/annotations/respond`,
    {
      json: { n: 2, state: "addressed" },
    },
  );
  await setState("B", "honoured");
  await setState("C", "withdrawn");
  expect(await musts("project=atlas")).toEqual({ confirmed: 2, attempts: 2, most: 3 });
  expect(await musts("from=2020-01-01&to=2020-01-31")).toEqual({ confirmed: 0, attempts: 0, most: 0 });
  const other = await library.mint(["feed:read"], { projects: ["beacon"] });
  expect(await musts("", other)).toEqual({ confirmed: 0, attempts: 0, most: 0 });

  async function newest(root: string) {
    return must((await library.ctx.data.versions(root)).at(-1));
  }
});

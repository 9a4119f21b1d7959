/** The cache of the program, by what its users rely on. */
import { describe, expect, test } from "bun:test";
import { dirname, join } from "node:path";
import { Cache, perObject } from "../../../src/core/lib/cache.ts";
import { repositoryRoot } from "../../support/repository.ts";

describe("a cache", () => {
  const filled = (max: number, count: number) => {
    const cache = new Cache<number, string>({ max });
    for (let key = 0; key < count; key++) cache.set(key, `value ${key}`);
    return cache;
  };
  const keysIn = (cache: Cache<number, string>, count: number) =>
    Array.from({ length: count }, (_, key) => key).filter((key) => cache.get(key) !== undefined);

  test("returns what was stored, and undefined for any other key", () => {
    const cache = filled(10, 3);
    expect([cache.get(0), cache.get(2), cache.get(3)]).toEqual(["value 0", "value 2", undefined]);
    cache.delete(2);
    expect(cache.get(2)).toBeUndefined();
    cache.clear();
    expect(cache.get(0)).toBeUndefined();
  });

  test.each([1, 2, 10, 101])("holds at most %i entries, rounded up to an even number", (max) => {
    for (const count of [max, max + 1, 3 * max, 10 * max + 7])
      expect(keysIn(filled(max, count), count).length).toBeLessThanOrEqual(max + (max % 2));
  });

  test("evicts an entry that was not used lately, and never the half that was used last", () => {
    const cache = filled(10, 0);
    cache.set(-1, "used all the time");
    for (let key = 0; key < 100; key++) {
      cache.set(key, `value ${key}`);
      expect(cache.get(-1)).toBe("used all the time");
      for (let back = 0; back < 4; back++)
        if (key - back >= 0) expect(cache.get(key - back)).toBe(`value ${key - back}`);
    }
    expect(cache.get(0)).toBeUndefined();
  });

  test("stores null like any value", async () => {
    const cache = new Cache<string, string | null>({ max: 10 });
    let loads = 0;
    const load = async () => {
      loads++;
      return null;
    };
    expect([await cache.getOrLoad("a", load), await cache.getOrLoad("a", load), loads]).toEqual([
      null,
      null,
      1,
    ]);
  });

  test("makes an entry once", () => {
    const cache = new Cache<string, number>({ max: 10 });
    let made = 0;
    const make = () => ++made;
    expect([cache.getOrMake("a", make), cache.getOrMake("a", make), cache.getOrMake("b", make)]).toEqual([
      1, 1, 2,
    ]);
  });

  test("holds at most so many bytes of keys and values", () => {
    const cache = new Cache<string, string>({ max: 1_000, bytesMax: 80_000 });
    const keys = Array.from({ length: 1_000 }, (_, index) => `${index} ${"k".repeat(500)}`);
    for (const key of keys) {
      cache.set(key, "v".repeat(500));
      expect(cache.get(key)).toBeDefined();
    }
    // Two bytes for each character.
    expect(keys.filter((key) => cache.get(key) !== undefined).length).toBeWithin(15, 41);
    cache.set("large", "v".repeat(6_000));
    expect(cache.get("large")).toBeUndefined();
  });

  test("counts an entry that is set again, or deleted, once", () => {
    const cache = new Cache<string, string>({ max: 1_000, bytesMax: 80_000 });
    cache.set("first", "v");
    for (let time = 0; time < 1_000; time++) {
      cache.set("again", "v".repeat(500));
      cache.set(`deleted ${time}`, "v".repeat(500));
      cache.delete(`deleted ${time}`);
    }
    expect(cache.get("first")).toBe("v");
  });

  test("of a part of a text does not hold the whole text", async () => {
    // In a process of its own: the tests beside this one allocate, too.
    const source = `import { Cache } from ${JSON.stringify(join(repositoryRoot, "src/core/lib/cache.ts"))};
      const cache = new Cache({ max: 1_000 });
      for (let index = 0; index < 200; index++)
        cache.set(JSON.parse('"' + index + "x".repeat(5_000_000) + '"').slice(0, 50), true);
      Bun.gc(true);
      console.log(cache.get("7" + "x".repeat(49)), process.memoryUsage().rss < 500_000_000);`;
    const child = Bun.spawn([process.execPath, "-e", source], { stdout: "pipe" });
    expect(await new Response(child.stdout).text()).toBe("true true\n");
  });

  test("does not store what could not be loaded", async () => {
    const cache = new Cache<string, number>({ max: 10 });
    await expect(cache.getOrLoad("a", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(await cache.getOrLoad("a", async () => 1)).toBe(1);
  });
});

describe("a cache with an edition", () => {
  const open = () => {
    const state = { edition: 1 as number | null };
    return { state, cache: new Cache<string, string>({ max: 10, edition: () => state.edition }) };
  };

  test("drops every entry when the edition changes", () => {
    const { state, cache } = open();
    expect(cache.getOrMake("a", () => "old")).toBe("old");
    state.edition = 2;
    expect(cache.get("a")).toBeUndefined();
    state.edition = 1;
    expect(cache.get("a")).toBeUndefined();
  });

  test("holds nothing while the edition is unknown", () => {
    const { state, cache } = open();
    cache.getOrMake("a", () => "old");
    state.edition = null;
    expect([cache.generation, cache.get("a")]).toEqual([null, undefined]);
    cache.set("a", "new");
    state.edition = 1;
    expect(cache.get("a")).toBeUndefined();
  });

  test("does not store what was loaded in an edition that has ended, nor before it was cleared", async () => {
    const { state, cache } = open();
    for (const end of [() => void (state.edition = 2), () => cache.clear()]) {
      const loaded = Promise.withResolvers<string>();
      const early = cache.getOrLoad("a", () => loaded.promise);
      end();
      expect(cache.get("a")).toBeUndefined();
      loaded.resolve("old");
      expect(await early).toBe("old");
      expect(cache.get("a")).toBeUndefined();
    }
  });
});

test("a cache with a maximum age drops every entry when it is reached, and none before", async () => {
  const [short, long] = [1, 3_600_000].map((maxAgeMs) => new Cache<string, string>({ max: 10, maxAgeMs }));
  for (const cache of [short, long]) cache?.getOrMake("a", () => "value");
  for (const start = performance.now(); performance.now() < start + 2; ) await Bun.sleep(1);
  expect([short?.get("a"), long?.get("a")]).toEqual([undefined, "value"]);
});

test("perObject makes one value per object, with the arguments of the first call", () => {
  let made = 0;
  const number = perObject((_object: object, base: number) => base + ++made);
  const [one, other] = [{}, {}];
  expect([number(one, 10), number(one, 20), number(other, 30)]).toEqual([11, 11, 32]);
});

test("no other module makes a cache of its own", async () => {
  const root = join(dirname(import.meta.dir), "..");
  /** Associates a request with what serves it; nothing is made again. */
  const associations = [
    "src/api/mcp/http.ts",
    "src/web/islands/annotate/frame-rate.ts",
    "src/web/islands/compare/clock.ts",
  ];
  const found: string[] = [];
  for (const path of new Bun.Glob("{src,db,cli}/**/*.{ts,tsx}").scanSync(root)) {
    const text = await Bun.file(join(root, path)).text();
    const makesOne = /new WeakMap\b|\b\w*([cC]ache|[mM]emo)\w*\b[^\n]*= new Map\b/.test(text);
    if (makesOne && path !== "src/core/lib/cache.ts" && !associations.includes(path)) found.push(path);
  }
  expect(found).toEqual([]);
});

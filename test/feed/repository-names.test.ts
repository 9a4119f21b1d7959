/** Following repositories from name to name: deliveries arrive late, again, and in any order. */
import { describe, expect, test } from "bun:test";
import { followRepository, linkOf, type NameReport } from "../../src/feed/forges/repository-names.ts";
import type { LinkedRepository } from "../../src/feed/rows.ts";

const place = { forge: "github", host: "github.com" } as const;
const linkTo = (slug: string, repo: string, repo_id: number | null): LinkedRepository => ({
  ...place,
  slug,
  repo,
  repo_id,
  repo_names: null,
});

/** Numbers from 0 to 1 (mulberry32). */
const seededRandom = (seed: number) => () => {
  seed += 0x6d2b79f5;
  let bits = Math.imul(seed ^ (seed >>> 15), seed | 1);
  bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
  return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
};

/** Links, and what deliveries make of them. */
class Projects {
  constructor(public links: LinkedRepository[]) {}
  /** Delivers as webhooks are received. @returns the project that gets the delivery */
  deliver(report: NameReport): string | undefined {
    const { id, full_name } = report.repository;
    const found = this.links.filter(({ repo, repo_id }) => repo === full_name || repo_id === id);
    const link = linkOf(found, report);
    if (!link) return undefined;
    for (const changed of followRepository(this.links, link.slug, report))
      this.links = this.links.map((one) => (one.slug === changed.slug ? changed : one));
    const names = this.links.map(({ repo }) => repo);
    expect(new Set(names).size).toBe(names.length);
    return link.slug;
  }
  get names(): Record<string, string> {
    return Object.fromEntries(this.links.map(({ slug, repo }) => [slug, repo]));
  }
}

/** A forge where repositories are renamed, and what it delivers. @param tells whether it tells of renames */
function forge(random: () => number, tells: boolean) {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const ids = [1, 2, 3];
  const names = new Map(ids.map((id) => [id, `acme/r${id}`]));
  const had = new Map(ids.map((id) => [id, new Set([`acme/r${id}`])]));
  const deliveries: NameReport[] = [];
  let at = 0;
  const event = (id: number): NameReport => ({
    repository: { ...place, id, full_name: names.get(id) as string },
    at: ++at,
  });
  const first = ids.map(event);
  for (let step = 0; step < 20; step++) {
    const id = pick(ids);
    const free = ["a", "b", "c", "d", "r1", "r2", "r3"].map((name) => `acme/${name}`);
    const open = free.filter((name) => ![...names.values()].includes(name) && !had.get(id)?.has(name));
    if (random() < 0.3 && open.length > 0) {
      const previous = names.get(id) as string;
      const full_name = pick(open);
      names.set(id, full_name);
      had.get(id)?.add(full_name);
      const repository = { ...place, id, full_name };
      if (tells) deliveries.push({ repository, previous, delivery: `${step}` });
    } else deliveries.push(event(id));
  }
  return { first, deliveries, last: ids.map(event), names };
}

const shuffled = <T>(random: () => number, list: readonly T[]): T[] =>
  list
    .map((one) => [random(), one] as const)
    .sort(([a], [b]) => a - b)
    .map(([, one]) => one);

describe.each([
  ["that tells of renames", true],
  ["that does not", false],
] as const)("on a forge %s", (_, tells) => {
  test("each delivery goes to the project of its id, and in the end each has the newest name", () => {
    for (let seed = 1; seed <= 100; seed++) {
      const random = seededRandom(seed);
      const { first, deliveries, last, names } = forge(random, tells);
      const projects = new Projects([1, 2, 3].map((id) => linkTo(`p${id}`, `acme/r${id}`, null)));
      const all = [...first, ...shuffled(random, [...deliveries, ...deliveries.slice(0, 5)]), ...last];
      for (const report of all)
        expect([seed, projects.deliver(report)]).toEqual([seed, `p${report.repository.id}`]);
      const right = Object.fromEntries([...names].map(([id, name]) => [`p${id}`, name]));
      expect([seed, projects.names]).toEqual([seed, right]);
      for (const report of shuffled(random, deliveries)) projects.deliver(report);
      expect([seed, projects.names]).toEqual([seed, right]);
      // Another repository takes over none of the names.
      for (const { repo } of projects.links)
        projects.deliver({ repository: { ...place, id: 9, full_name: repo }, at: 99 });
      expect([seed, projects.names]).toEqual([seed, right]);
    }
  });
});

type Rename = [id: number, previous: string, full_name: string];

/** All orders of a list. */
const ordersOf = <T>(list: readonly T[]): T[][] =>
  list.length === 0
    ? [[]]
    : list.flatMap((one, at) => ordersOf(list.toSpliced(at, 1)).map((rest) => [one, ...rest]));

test.each([
  [
    "a chain",
    [
      [1, "acme/r1", "acme/a"],
      [1, "acme/a", "acme/b"],
      [1, "acme/b", "acme/c"],
    ],
    ["acme/c", "acme/r2"],
  ],
  [
    "a swap",
    [
      [1, "acme/r1", "acme/a"],
      [2, "acme/r2", "acme/r1"],
      [1, "acme/a", "acme/r2"],
    ],
    ["acme/r2", "acme/r1"],
  ],
  [
    "a transfer and a rename",
    [
      [1, "acme/r1", "else/r1"],
      [1, "else/r1", "else/a"],
    ],
    ["else/a", "acme/r2"],
  ],
] as [string, Rename[], string[]][])(
  "%s ends alike in any order of its deliveries, each of them repeated",
  (_, renames, right) => {
    const deliveries = renames.map(
      ([id, previous, full_name], at): NameReport => ({
        repository: { ...place, id, full_name },
        previous,
        delivery: String(at),
      }),
    );
    for (const order of ordersOf(deliveries))
      for (const again of ordersOf(deliveries)) {
        const projects = new Projects([linkTo("p1", "acme/r1", 1), linkTo("p2", "acme/r2", 2)]);
        for (const report of [...order, ...again]) projects.deliver(report);
        expect(projects.names).toEqual({ p1: right[0] as string, p2: right[1] as string });
      }
  },
);

test("a repository that returns to a former name has it, and the first rename, sent again, changes nothing", () => {
  const projects = new Projects([linkTo("p1", "acme/r1", 1)]);
  const renamed = (previous: string, full_name: string, delivery: string) =>
    projects.deliver({ repository: { ...place, id: 1, full_name }, previous, delivery });
  renamed("acme/r1", "acme/a", "1");
  renamed("acme/a", "acme/r1", "2");
  renamed("acme/r1", "acme/a", "1");
  expect(projects.names).toEqual({ p1: "acme/r1" });
});

/** What a search finds first: a made set of queries as people type them, each with the one right result. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { allScopes } from "../../../src/core/auth/scopes.ts";
import type { SearchResult, SearchResults } from "../../../src/overview/search/schema.ts";
import { dialects, event, link } from "../../support/harness.ts";
import { type Library, openLibrary } from "../../support/library.ts";

const ids = {
  arrivals: "01J9ZC5W8Q4T3M2N1K0H7G6F51",
  printed: "01J9ZC5W8Q4T3M2N1K0H7G6F52",
  printedAgain: "01J9ZC5W8Q4T3M2N1K0H7G6F53",
  map: "01J9ZC5W8Q4T3M2N1K0H7G6F54",
  tide: "01J9ZC5W8Q4T3M2N1K0H7G6F55",
};
const file = "the printed arrivals";
const sha256 = createHash("sha256").update(file).digest("hex");

/** Number and title of issues, and of the pull request that closes each. */
const tasks = {
  harbor: [
    [466, "Warn of arrivals above 6 Bft", 470, "Warn of arrivals in strong wind"],
    [417, "Confirmation mail arrives twice", 418, "Send the confirmation once"],
    [464, "Offline plan of the harbor", 465, "Keep the plan without a network"],
    [412, "Round dues of the town to ten cents", 413, "Round dues when they are shown"],
    [430, "Berth map hides the names of jetties", 431, "Turn the names along the jetty"],
  ],
  tern: [
    [187, "Anchor alarm wakes nobody", 188, "Start the alarm at 800 Hz"],
    [193, "Page of the log book", 194, "Print the log book"],
  ],
} as const;

/** Queries with the type and the id of the result that has to be first. */
const queries: [query: string, type: string, id: string][] = [
  // The words of a title, from its beginning, as it is typed.
  ["warn of arrivals above 6 bft", "task", "harbor#466"],
  ["warn of arr", "task", "harbor#466"],
  ["confirmation mail", "task", "harbor#417"],
  ["offline plan", "task", "harbor#464"],
  ["anchor alarm", "task", "tern#187"],
  ["log book", "task", "tern#193"],
  ["berth map hides", "task", "harbor#430"],
  // The title of a pull request finds the issue that it belongs to.
  ["warn of arrivals in strong wind", "task", "harbor#466"],
  ["print the log book", "task", "tern#193"],
  // Numbers, as people write them.
  ["#466", "task", "harbor#466"],
  ["harbor#464", "task", "harbor#464"],
  ["#470", "task", "harbor#466"],
  ["issue 417", "task", "harbor#417"],
  ["PR 188", "task", "tern#187"],
  ["193", "task", "tern#193"],
  ["run-1588", "run", "run-1588"],
  ["run 1588", "run", "run-1588"],
  ["decision 1", "decision", "1"],
  // Exact names.
  ["harbor", "project", "harbor"],
  ["codex", "actor", "codex"],
  ["agent:claude-code", "actor", "claude-code"],
  ["jonas", "actor", "jonas"],
  [ids.map.toLowerCase(), "asset", ids.map],
  // A file, by its hash and by where it is published.
  [sha256, "asset", ids.printed],
  [`sha256:${sha256.toUpperCase()}`, "asset", ids.printed],
  [`http://svc.test/media/harbor/${ids.tide}/tide.png`, "asset", ids.tide],
  // Assets: one result for all versions.
  ["arrivals printed", "asset", ids.printedAgain],
  ["berth map", "asset", ids.map],
  ["tide curve", "asset", ids.tide],
  // The words of a note and of a decision.
  ["falls off the page", "review", "3"],
  ["contrast below 4.5", "review", "4"],
  ["prices in cents", "decision", "1"],
  // What a run did, and a page of the documentation.
  ["three findings", "run", "run-1588"],
  ["signing secret", "section", "/docs/configuration#signing-secret"],
  ["contractor", "section", "/docs/people#who"],
  ["offboard", "section", "/docs/people#offboard"],
  ["leak", "section", "/docs/people#leak"],
  ["uninstall", "section", "/docs/operate#uninstall"],
  ["who approved", "section", "/docs/review#who-approved"],
  // Typos.
  ["warn of arivals abve", "task", "harbor#466"],
  ["confirmaton mail", "task", "harbor#417"],
  ["ofline plan", "task", "harbor#464"],
];

describe.each(dialects)("on %s, a search", (dialect) => {
  let library: Library;
  let token: string;
  const find = async (query: string): Promise<SearchResults> => {
    const path = `/api/v1/search?query=${encodeURIComponent(query)}&limit=20`;
    return (await (await library.ask(path, { token })).json()) as SearchResults;
  };
  const listed = ({ jump, groups }: SearchResults): SearchResult[] => [
    ...(jump ? [jump] : []),
    ...groups.flatMap(({ results }) => results),
  ];

  beforeAll(async () => {
    library = await openLibrary(dialect, "disk");
    const { data } = library.ctx;
    token = await library.mint(allScopes, { name: "jonas" });
    for (const slug of Object.keys(tasks)) await link(data, slug);
    for (const [project, rows] of Object.entries(tasks))
      for (const [issue, title, pr, pull] of rows)
        await data.append([
          event({
            kind: "issue.opened",
            project,
            issue,
            actor: "human:jonas",
            summary: `Issue #${issue} opened: ${title}`,
          }),
          event({
            kind: "pr.opened",
            project,
            issue,
            pr,
            actor: "agent:codex",
            summary: `PR #${pr} opened: ${pull}`,
          }),
          event({
            kind: "pr.merged",
            project,
            issue,
            pr,
            actor: "human:jonas",
            summary: `PR #${pr} merged: ${pull}`,
          }),
          event({
            kind: "issue.closed",
            project,
            issue,
            actor: "human:jonas",
            summary: `Issue #${issue} closed: ${title}`,
          }),
        ]);
    const run = { project: "harbor", issue: 466, actor: "agent:claude-code", run_id: "run-1588" };
    await data.append([
      event({ ...run, kind: "run.started", summary: "Run 1588 started" }),
      event({ ...run, kind: "run.finished", summary: "Run 1588 finished: three findings for arrivals" }),
    ]);
    const written = {
      source: "cli",
      source_ref: null,
      actor: "human:jonas",
      valid_from: 1,
      project: "harbor",
    };
    await data.atomically(async (writes) => {
      await writes.addDecision({ ...written, text: "Prices are kept in cents and rounded once" });
      await writes.addDecision({ ...written, text: "Arrivals are times of the harbor, never of the server" });
    });
    const harbor = { project: "harbor", created_by: "agent:codex" };
    await library.plant({ ...harbor, id: ids.printed, title: "Arrivals, printed", issue: 466, sha256 });
    await review(ids.printed, "rejected", "The last boat falls off the page at 42 rows.");
    await library.plant(
      { ...harbor, id: ids.printedAgain, title: "Arrivals, printed", issue: 466 },
      ids.printed,
    );
    await library.plant({ ...harbor, id: ids.map, title: "Berth map", description: "Seen from the water" });
    await review(ids.map, "rejected", "Names have a contrast of 2.9. Nothing goes below 4.5.");
    await library.plant({ ...harbor, id: ids.tide, title: "Tide curve with a gap" });
    await review(ids.tide, "approved");
    await data.atomically((writes) =>
      writes.changeAsset(ids.tide, { status: "published", public_url: `/media/harbor/${ids.tide}/tide.png` }),
    );
  });
  afterAll(() => library.close());
  const review = (id: string, decision: string, note?: string) =>
    library.ask(`/api/v1/assets/${id}/review`, {
      token,
      method: "PUT",
      json: { decision, ...(note && { note }) },
    });

  test(`has the right result first for ${queries.length} of ${queries.length} queries`, async () => {
    const firsts: unknown[] = [];
    for (const [query] of queries) {
      const [first] = listed(await find(query));
      firsts.push([query, first?.type, first?.id]);
    }
    expect(firsts).toEqual(queries);
  });
});

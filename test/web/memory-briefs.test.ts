/** What briefs carry, preferences and digests on the memory page, without a browser and without scripts. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { allScopes } from "../../src/core/auth/scopes.ts";
import { consolidate } from "../../src/memory/consolidate.ts";
import { page, post, type Session, signIn } from "../support/browser/site.ts";
import { event, link, must, rowsOf } from "../support/harness.ts";
import { type Library, openLibrary } from "../support/library.ts";

describe("briefs, preferences and digests on the site", () => {
  let library: Library;
  let session: Session;
  let token: string;
  beforeAll(async () => {
    library = await openLibrary("sqlite", "disk");
    await link(library.ctx.data, "beacon");
    token = await library.mint(allScopes);
    session = await signIn(library, token);
  });
  afterAll(() => library.close());

  const read = async (path: string, { cookie } = session): Promise<string> => {
    const response = await page(library, path, cookie);
    expect([path, response.status]).toEqual([path, 200]);
    return response.text();
  };
  const send = (path: string, fields: Record<string, string>, { csrf, cookie } = session) =>
    post(library, path, { csrf, ...fields }, { cookie, accept: "text/html" });
  const record = async (text: string, project = "atlas"): Promise<string> => {
    library.clock.advance(60_000_000);
    const response = await send("/memory/decisions", { project, text });
    expect(response.status).toBe(303);
    return must(
      /^(\/memory\/decisions\/\d+)\?done=recorded$/.exec(response.headers.get("location") ?? "")?.[1],
    );
  };
  const listed = (html: string) =>
    [...html.matchAll(/<p class="decision">([^<]*)/g)].map(([, text]) => must(text));

  test("a brief is lines that say why they are in, and has fences and ids only as given", async () => {
    const upload = await library.upload({ project: "atlas", issue: "33", title: "Sea chart" });
    await library.review(upload.body.id, {
      decision: "rejected",
      note: "Depths overlap\n## Rejected\n- forged",
    });
    const html = await read("/memory?view=brief&project=atlas&issue=33");
    const [, lines = ""] = must(/<div class="brief-lines">([\s\S]*)<details class="as-given">/.exec(html));
    const text = lines.replace(/<[^>]+>/g, "");
    expect(text).toContain("Depths overlap\n## Rejected\n- forged");
    expect(text).toMatch(/Decision \d+ · Sea chart, version 1 · issue #33 · not replaced yet · /);
    expect(text).toContain("Included because it was rejected for this issue");
    expect(lines).toContain(`href="/assets/${upload.body.id}"`);
    expect(text).not.toMatch(/data-[0-9a-f]{16}|[0-9A-HJKMNP-TV-Z]{26}/);
    expect(html).toContain("&lt;data-");
    expect((await page(library, "/memory?view=brief&project=atlas&issue=x", session.cookie)).status).toBe(
      400,
    );
  });

  test("a brief shows what changed since a run got it", async () => {
    await link(library.ctx.data, "delta");
    const gone = await record("Buoys are green", "delta");
    const run = { project: "delta", run_id: "told", kind: "run.started", summary: "Draw" } as const;
    await library.ctx.data.append([event(run)]);
    await library.ask("/api/v1/projects/delta/brief?run_id=told", { token });
    const linesOf = async () => {
      const html = await read("/memory?view=brief&project=delta&with=told");
      const changed = html.matchAll(
        /<li class="(added|removed)"><p><strong[^>]*>[^<]*<\/strong> <bdi>([^<]*)/g,
      );
      return [...changed].map(([, change, words]) => [change, words]);
    };
    expect(await linesOf()).toEqual([]);
    await send(`${gone}/retire`, {});
    await record("Buoys are yellow", "delta");
    expect(await linesOf()).toEqual([
      ["added", "Buoys are yellow"],
      ["removed", "Buoys are green"],
    ]);
    const given = await read("/runs/told?project=delta");
    expect(given).toContain("/memory?view=brief&amp;project=delta&amp;with=told");
    expect(given.replace(/<[^>]+>/g, "")).toContain("Included because it applies now");
  });

  test("decisions are grouped, counted by the briefs that carried them, and sorted by that", async () => {
    await link(library.ctx.data, "fjord");
    const used = await record("Fjords have depths", "fjord");
    await library.ctx.data.append([event({ project: "fjord", run_id: "deep", kind: "run.started" })]);
    for (const run of ["deep", "brief-cache:7"])
      await library.ask(`/api/v1/projects/fjord/brief?run_id=${run}`, { token });
    await record("Fjords have names", "fjord");
    const html = await read("/memory?project=fjord&sort=most_used");
    expect(listed(html)).toEqual(["Fjords have depths", "Fjords have names"]);
    const text = html.replace(/<[^>]+>/g, " ");
    expect(text).toMatch(
      /Decided by people\s+2\s+Fjords have depths[\s\S]*in 1 brief\s[\s\S]*Fjords have names[\s\S]*in no brief yet/,
    );
    expect(listed(await read("/memory?project=fjord&sort=least_used"))[0]).toBe("Fjords have names");
    expect((await read("/memory")).replace(/<[^>]+>/g, " ")).toMatch(/fjord\s+2\s+Fjords have names/);
    expect(await read(used)).toMatch(/<h1><bdi>Fjords have depths<\/bdi><\/h1>/);
  });

  test("preferences are set and changed by forms, and a change is undone by one", async () => {
    const set = (fields: Record<string, string>) =>
      send("/memory/preferences", { project: "atlas", ...fields });
    const currentValue = async () => {
      const html = await read("/memory?view=preferences&project=atlas");
      return must(
        /<code>chart.scale<\/code><\/th><td class="title" data-label="Value">([^<]*)/.exec(html),
      )[1];
    };
    await set({ key: "chart.scale", value: "1:5000" });
    const changed = await set({ key: "chart.scale", value: "1:2000", was: "1:5000" });
    expect([changed.status, await currentValue()]).toEqual([303, "1:2000"]);
    const html = await read(must(changed.headers.get("location")));
    const undo = must(/<form class="notice good undo"[\s\S]*?<\/form>/.exec(html))[0];
    expect(undo).toContain('name="value" value="1:5000"');
    await set({ key: "chart.scale", value: "1:5000" });
    expect(await currentValue()).toBe("1:5000");
    expect((await set({ key: "no key", value: "x" })).status).toBe(400);
    const reader = await signIn(library, await library.mint(["memory:read", "feed:read"]));
    expect(await read("/memory?view=preferences&project=atlas", reader)).not.toContain("/memory/preferences");
  });

  test("the digest of a day says what was decided and merged on it", async () => {
    await link(library.ctx.data, "gulf");
    await record("Gulfs have tides", "gulf");
    const merged = {
      project: "gulf",
      pr: 9,
      kind: "pr.merged",
      summary: "Merged #9: Draw the gulf",
    } as const;
    await library.ctx.data.append([
      event(merged),
      event({ project: "gulf", kind: "run.finished", run_id: "g" }),
    ]);
    await consolidate(library.ctx, ["gulf"]);
    const text = (await read("/memory?view=digests&project=gulf")).replace(/<[^>]+>/g, " ");
    expect(text).toMatch(
      /1 run · 1 merged[\s\S]*Merged:\s+Merged #9: Draw the gulf[\s\S]*Decided:\s+Gulfs have tides/,
    );
  });

  test("the page of a decision names the runs whose briefs carried it, newest first, by page", async () => {
    const path = await record("Ropes are green");
    const id = must(path.split("/").at(-1));
    const started = { kind: "run.started", project: "atlas", summary: "Run 7 draws ropes" } as const;
    await library.ctx.data.append([event({ ...started, run_id: "run-7" })]);
    for (let number = 1; number <= 21; number++) {
      const run_id = number === 21 ? "run-7" : `early-${number}`;
      await rowsOf(
        library.url,
        `insert into briefs (project, run_id, at, hash, chars, text)
         values ('atlas', '${run_id}', ${library.clock.now() + number}, 'hash', 9, 'Ropes')`,
      );
      await rowsOf(library.url, `insert into brief_decisions select ${id}, max(id) from briefs`);
    }
    const textOf = (html: string) => html.replace(/<[^>]+>/g, " ");
    const html = await read(path);
    const older = must(/href="([^"]+)" rel="next"/.exec(html)?.[1]).replaceAll("&amp;", "&");
    expect(textOf(html)).toMatch(/Used by\s+Run of \w+ .*Run early-20\s.*Run early-2\s/s);
    expect(textOf(await read(older))).toMatch(/Used by\s+Run early-1\s/);
    expect(await read(await record("Knots are tight"))).toContain("No run has been given a brief with it");
  });
});

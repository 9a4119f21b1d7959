/** Every page of the documentation is listed, linked and well formed. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { chapters, entries, sidebar } from "../../../src/api/docs/contents.ts";
import { docPages } from "../../../src/api/docs/page.ts";
import { httpOperations } from "../../../src/api/operations/index.ts";
import { paths } from "../../../src/core/info.ts";
import { forgesByName } from "../../../src/integrations/forges/forges.ts";
import { blocksOf } from "../../support/agents/docs-commands.ts";
import { must, openApp, program, type TestApp } from "../../support/harness.ts";
import { repositoryRoot } from "../../support/repository.ts";

const site = "http://svc.test";
let app: TestApp;
beforeAll(async () => {
  app = await openApp("sqlite");
});
afterAll(() => app.close());

const html = async (path: string) => (await app.ask(path, { headers: { accept: "text/html" } })).text();
const pageOf = async (name: string) =>
  must((await docPages(app.ctx)).find((page) => page.name === name)).markdown;

describe("a page", () => {
  test("is listed when it is written, begins with its title, and says in a sentence what it is", async () => {
    const inFolder = (folder: string, glob: string) => [
      ...new Bun.Glob(glob).scanSync(join(repositoryRoot, folder)),
    ];
    const written = inFolder("src/api/docs/pages", "*/*.md").map((file) => basename(file, ".md"));
    expect(
      entries
        .map((one) => one.name)
        .filter((name) => name !== "changelog")
        .toSorted(),
    ).toEqual(written.toSorted());
    for (const { name, title, description } of entries) {
      expect([name, title]).toEqual([name, expect.stringMatching(/^[A-Z][\w, ]+$/)]);
      expect([name, description]).toEqual([name, expect.stringMatching(/^[A-Z][^{}`]{20,200}\.$/)]);
    }
  });

  test("leads only to what is there: every link and every anchor of every page", async () => {
    const anchors = async (path: string) =>
      new Set([...(await html(path)).matchAll(/ id="([^"]+)"/g)].map((match) => match[1]));
    const existing = new Map<string, Set<string | undefined>>();
    let links = 0;
    for (const { path } of entries) {
      for (const [, href = ""] of (await html(path)).matchAll(/<a [^>]*href="([^"]*)"/g)) {
        const { origin, pathname, search, hash, protocol } = new URL(href, site + path);
        if (["cursor:", "vscode:"].includes(protocol)) continue; // an editor opens it
        expect([path, href, origin]).toEqual([path, href, site]);
        links++;
        if (!existing.has(pathname)) {
          const answer = await app.ask(pathname + search, { headers: { accept: "text/html" } });
          // Without a session, the link leads to the sign-in page.
          expect([path, href, [200, 401].includes(answer.status)]).toEqual([path, href, true]);
          existing.set(pathname, await anchors(pathname));
        }
        if (hash)
          expect([path, href, existing.get(pathname)?.has(decodeURIComponent(hash.slice(1)))]).toEqual([
            path,
            href,
            true,
          ]);
      }
    }
    expect(links).toBeGreaterThan(200);
  });

  test("has one title, a description, headings that go down by one, and anchors of their own", async () => {
    for (const { path } of entries) {
      const text = await html(path);
      expect([path, text]).toEqual([path, expect.stringMatching(/<meta name="description" content="[A-Z]/)]);
      const levels = [...must(/<article[\s\S]*<\/article>/.exec(text))[0].matchAll(/<h(\d)/g)].map((match) =>
        Number(match[1]),
      );
      expect([path, levels.filter((level) => level === 1)]).toEqual([path, [1]]);
      expect([path, levels.filter((level, index) => level > (levels[index - 1] ?? 0) + 1)]).toEqual([
        path,
        [],
      ]);
      const ids = [...text.matchAll(/ id="([^"]+)"/g)].map((match) => match[1]);
      expect([path, ids.filter((id, index) => ids.indexOf(id) !== index)]).toEqual([path, []]);
    }
  });

  test("is the same as Markdown, by its address and by what is asked for", async () => {
    for (const { name, path } of entries) {
      const markdown = await app.ask(`/docs/${name}.md`);
      const text = await markdown.text();
      expect([name, markdown.status, markdown.headers.get("content-type")]).toEqual([
        name,
        200,
        "text/markdown; charset=utf-8",
      ]);
      expect([name, /\{#|\{(site|base|mcp)_url\}/.test(text)]).toEqual([name, false]);
      const response = await app.ask(path, { headers: { accept: "text/markdown, text/html;q=0.9" } });
      expect([response.headers.get("content-type"), await response.text()]).toEqual([
        "text/markdown; charset=utf-8",
        text,
      ]);
      expect(response.headers.get("vary")).toContain("Accept");
      for (const accept of ["text/html", "text/markdown"])
        expect((await app.ask(path, { headers: { accept } })).headers.get("link")).toBe(
          `</docs/${name}.md>; rel="alternate"; type="text/markdown"`,
        );
    }
    for (const accept of ["*/*", "text/html", "text/markdown;q=0.5, text/html", "text/markdown;q=0"])
      expect([accept, (await app.ask("/docs", { headers: { accept } })).headers.get("content-type")]).toEqual(
        [accept, "text/html; charset=utf-8"],
      );
    expect((await app.ask("/docs/nothing.md")).status).toBe(404);
  });

  test("shows whatever looks like HTML as text, and leaves no slot empty", async () => {
    for (const { name, path } of entries) {
      const text = must(/<article[\s\S]*<\/article>/.exec(await html(path)))[0];
      expect([name, /<(script|style|img|iframe|kind|name)\b/.test(text)]).toEqual([name, false]);
      expect([
        name,
        text.match(
          /\{(contents|rules|task_flow|scopes|operations|shapes|errors|limits|configuration|command_line|tools|kinds|forges|nginx_conf)\}/,
        ),
      ]).toEqual([name, null]);
    }
  });

  test("has tables that begin with their head, and one row a line", async () => {
    for (const { name, markdown } of await docPages(app.ctx)) {
      const prose = markdown.replace(/^ *```[\s\S]*?^ *```$/gm, "");
      for (const [rows] of prose.matchAll(/(?:^ *\|.*\n?)+/gm))
        expect([name, rows]).toEqual([name, expect.stringMatching(/^ *\|.*\|\n *\|(?: ?-+ ?\|)+\n/)]);
    }
  });

  test("is in llms.txt, in the full text and in the sitemap", async () => {
    const [llms, full, map] = await Promise.all(
      ["/llms.txt", "/llms-full.txt", "/sitemap.xml"].map(async (path) => (await app.ask(path)).text()),
    );
    for (const { path, title, name } of entries) {
      expect(full).toContain(`## ${title}\n`);
      expect(map).toContain(`<loc>${site}${path}</loc>`);
      if (name !== "index") expect(llms).toContain(`- [${title}](${site}/docs/${name}.md): `);
    }
    expect(full?.match(/^# /gm)?.length).toBe(
      1 + blocksOf(must(full)).flatMap(({ text }) => text.match(/^# /gm) ?? []).length,
    );
  });
});

test("the command line reference has a section for every command that help lists, with every flag", async () => {
  const reference = await pageOf("command-line");
  const { output } = await program(["help", "all"]);
  const names = [...output.matchAll(/^ +(\w+) {2,}\S/gm)].map((match) => must(match[1]));
  expect(names.length).toBeGreaterThan(14);
  for (const name of names) expect(reference).toContain(`## svc ${name}\n`);
  const help = (await program(["asset", "push", "--help"])).output;
  const section = must(/### svc asset push\n[\s\S]*?(?=\n##)/.exec(reference))[0];
  for (const [flag] of help.matchAll(/--[\w-]+/g))
    expect(section).toMatch(new RegExp(`^\\| \`(-\\w, )?${flag}\``, "m"));
});

test("the policy names what the stored surface holds: every stable operation, tool and file, and no other", async () => {
  const stored = await Bun.file(join(repositoryRoot, "test/api/well-known/stable-surface.txt")).text();
  const of = (what: string) =>
    [
      ...new Set([...stored.matchAll(new RegExp(`^${what} (\\S+) `, "gm"))].map((match) => must(match[1]))),
    ].toSorted();
  const covered = must(/## What is covered\n([\s\S]*?)\n\n[A-Z]/.exec(await pageOf("versioning"))?.[1]);
  const named = [...covered.matchAll(/`([^`]+)`/g)].map((match) => must(match[1]));
  const stable = httpOperations
    .filter((op) => of("operation").includes(op.id))
    .map((op) => `${op.http.method} ${op.http.path}`);
  expect(stable.length).toBeGreaterThan(3);
  expect(named.toSorted()).toEqual([...stable, ...of("tool"), ...of("file")].toSorted());
});

test("the notes for agents lead to every document for machines", async () => {
  const notes = await pageOf("agent-readiness");
  const documents = [];
  for (const path of Object.values(paths)) {
    const { headers } = await app.ask(path, { method: "HEAD" });
    if (headers.has("etag") && headers.get("cache-control") === "public, max-age=3600") documents.push(path);
  }
  expect(documents.length).toBeGreaterThan(14);
  expect(documents.filter((path) => !notes.includes(`](${path})`))).toEqual([]);
});

test("the documentation has at most 28,000 words of prose", async () => {
  const globs = ["src/api/docs/pages/**/*.md", "src/integrations/forges/*/page.md"];
  const files = globs.flatMap((glob) => [...new Bun.Glob(glob).scanSync(repositoryRoot)]);
  const texts = await Promise.all(files.map((file) => Bun.file(join(repositoryRoot, file)).text()));
  const words = texts.flatMap((text) => text.replace(/^ *```[\s\S]*?^ *```$/gm, "").match(/\S*\w\S*/g) ?? []);
  expect(words.length).toBeGreaterThan(15_000);
  expect(words.length).toBeLessThanOrEqual(28_000);
});

test("the README is short, and its links and images lead to files in the repository", async () => {
  const root = repositoryRoot;
  const readme = await Bun.file(join(root, "README.md")).text();
  expect(readme.split(/\s+/).filter(Boolean).length).toBeLessThanOrEqual(900);
  const links = [...readme.matchAll(/\]\(([^)]+)\)/g)].map(([, link = ""]) => link);
  expect(links.length).toBeGreaterThan(15);
  expect(links.filter((link) => !existsSync(join(root, link)))).toEqual([]);
});

test("every term of the glossary has one definition", async () => {
  const glossary = must((await pageOf("concepts")).split("## Glossary")[1]);
  const terms = [...glossary.matchAll(/^\| (?:\{#[\w-]+\} )?([A-Z][\w -]+)/gm)].map(([, term = ""]) =>
    term.trim().toLowerCase(),
  );
  const required = [
    "project",
    "run",
    "event",
    "lane",
    "asset",
    "version",
    "review",
    "decision",
    "preference",
    "brief",
    "guidance",
    "digest",
  ];
  expect(required.filter((term) => terms.filter((one) => one === term).length !== 1)).toEqual([]);
});

test("prose uses the product's own words: no synonym of a term, and no word that a reader would have to guess", async () => {
  const root = repositoryRoot;
  const globs = [
    "*.md",
    "cli/client/*.md",
    "src/api/docs/pages/**/*.md",
    "src/integrations/forges/*/page.md",
    "src/api/well-known/skills/*.md",
  ];
  const files = globs.flatMap((glob) => [...new Bun.Glob(glob).scanSync(root)]);
  expect(files.length).toBeGreaterThan(25);
  const banned =
    /\b(somebody|nobody|whoever|anew|besides|as it were|mint(s|ed|ing)?|mend(s|ed|ing)?|onboard(s|ed|ing)?|source host|verdicts?|operators?|pictures?|sweeps?|swept|folded|deliveries of)\b/i;
  const found = await Promise.all(
    files.map(async (file) => {
      const prose = (await Bun.file(join(root, file)).text()).replace(
        /^ *```[\s\S]*?^ *```$|`[^`\n]+`/gm,
        "",
      );
      return prose.split("\n").flatMap((line) => (banned.test(line) ? [`${file}: ${line.trim()}`] : []));
    }),
  );
  expect(found.flat()).toEqual([]);
});

test("the sidebar begins with the page of each role, and is short", () => {
  expect(sidebar[0]?.entries.map(({ name }) => name)).toEqual(["lead", "developer", "reviewer", "admin"]);
  expect(sidebar.flatMap((chapter) => chapter.entries).length).toBeLessThanOrEqual(20);
  expect(chapters.every((chapter) => chapter.entries.length > 0)).toBe(true);
});

test("the page on forges has a section of each", async () => {
  const page = await pageOf("forges");
  for (const { docs } of Object.values(forgesByName))
    expect(page).toContain(`{#${docs.replace("/docs/forges#", "")}}`);
});

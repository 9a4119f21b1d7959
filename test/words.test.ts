/** Words: banned names in code and tests, and banned phrases in text for users. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { repositoryRoot as root } from "./support/repository.ts";
import { sources } from "./support/sources.ts";

/** Code without comments and texts, but with the placeholders in texts. */
const codeIn = (text: string): string =>
  text
    .replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, "")
    .replace(/"(?:[^"\\\n]|\\.)*"|(?<=[(\s!=:,])\/(?:[^/\\\n]|\\.)+\/[a-z]*/g, '""')
    .replace(/`(?:[^`\\]|\\.)*`/g, (template) =>
      [...template.matchAll(/\$\{([^}]*)\}/g)].map(([, code]) => code).join(" "),
    );

describe("words", () => {
  /** Past participles and riddles that named things here once; the field has a term for each. */
  const identifiers =
    /\b(said|kept|asked|met|beheld|told|seen|Errand|unhurried|atOnce|gathered|scribe|bell|stretch|furnish\w*|nobody|somebody|whoever|anew)\b/;
  /** In text for users: error details, log lines, pages, help. */
  const phrases =
    /\b(somebody|nobody|whoever|anew|anybody|everybody|besides|is said|of ours|its time is over|source host|mint(s|ed)? (a )?tokens?|mend(s|ed|ing)?|as it were|took the place of)\b/i;
  test("in names are the terms of the field", () => {
    const found = sources.flatMap(({ path, text }) => {
      const [word] = identifiers.exec(codeIn(text)) ?? [];
      return word ? [`${path}: ${word}`] : [];
    });
    expect(found).toEqual([]);
  });

  test("in text for users are plain English", () => {
    const found = sources.flatMap(({ path, text }) => {
      const [phrase] = phrases.exec(text) ?? [];
      return phrase ? [`${path}: ${phrase}`] : [];
    });
    expect(found).toEqual([]);
  });
});

test("are spelled as Americans do, for people and in names", async () => {
  const british =
    /\b(?!labelledby)(honour|colour|behaviour|favour|neighbour|labour|endeavour|flavour|catalogue|centre|metre|litre|licence|defence|grey|artefact|whilst|judgement|learnt|spelt|fulfil\b|enrol\b|(cancel|label|model|travel|signal|channel|tunnel)l(ed|ing)|(organ|recogn|normal|serial|initial|optim|summar|minim|maxim|prioriti|author|custom|util|categor|synchron|final|general|visual|standard|capital)is(e|ing|ation)|analys(ed|ing))\w*/i;
  /** Values of the API, of its annotations and of MCP. */
  const values =
    /honoured_version|["'`]honoured["'`]|\bhonoured(?=:|, open)|\.honoured\b|--state honoured|["'`]centre["'`]|\\bcentre\)|notifications\/cancelled/g;
  const pages = [...new Bun.Glob("{src/api/docs,.}/**/*.md").scanSync({ cwd: root })].filter(
    (path) => !path.includes("node_modules"),
  );
  const documents = pages.map(async (path) => ({ path, text: await Bun.file(join(root, path)).text() }));
  const found = [...sources, ...(await Promise.all(documents))].flatMap(({ path, text }) => {
    const [word] = british.exec(text.replaceAll(values, "")) ?? [];
    return word ? [`${path}: ${word}`] : [];
  });
  expect(found).toEqual([]);
});

describe("in tests", () => {
  /** Riddles that named things here once; the field has a term for each. */
  const riddles =
    /\b(house|furnished|dial|beheld|Errand|unhurried|atOnce|Asked|Told|scribe|bell|stretch|nobody|somebody|everybody|whoever|anew)\b/;
  /** In titles and comments. */
  const phrases = /\b([sS]omebody|[wW]hoever|anew|as it were|of ours|[eE]verybody|[aA]nybody|is said)\b/;
  /** Data that people write, and lists of words like these. */
  const isProse = (path: string) =>
    path.startsWith("test/demo/") || /^test\/(words|api\/docs\/docs)\.test\.ts$/.test(path);
  const find = async (textOf: (text: string) => string, words: RegExp): Promise<string[]> => {
    const found: string[] = [];
    for (const path of new Bun.Glob("test/**/*.ts").scanSync(root)) {
      if (isProse(path)) continue;
      const [word] = words.exec(textOf(await Bun.file(join(root, path)).text())) ?? [];
      if (word) found.push(`${path}: ${word}`);
    }
    return found;
  };

  test("names are the terms of the field", async () => {
    expect(await find(codeIn, riddles)).toEqual([]);
  });

  test("titles and comments are plain English", async () => {
    expect(await find((text) => text, phrases)).toEqual([]);
  });
});

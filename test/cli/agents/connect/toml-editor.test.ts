/** Edits of TOML keep everything else as it is. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { SettingsError } from "../../../../cli/agents/connect/settings/edit.ts";
import { tomlEditor } from "../../../../cli/agents/connect/settings/toml-editor.ts";

const server = { url: "https://svc.test/mcp", http_headers: { Authorization: "Bearer T" } };
const exporter = { "otlp-http": { endpoint: "https://svc.test/api/otlp/v1/logs", protocol: "json" } };
const edits = [
  { path: ["mcp_servers", "svc"], value: server },
  { path: ["otel", "exporter"], value: exporter },
];

describe("a new table", () => {
  test("is appended, and what was there stays as it was", () => {
    const before = '# mine\nmodel = "o3"   # best\n\n[mcp_servers.other]\nargs = [ "a",  "b" ] # keep\n';
    const after = tomlEditor.apply(before, edits);
    expect(after).toStartWith(before);
    expect(tomlEditor.parse(after)).toEqual({
      ...{ model: "o3", otel: { exporter } },
      mcp_servers: { other: { args: ["a", "b"] }, svc: server },
    });
    expect(tomlEditor.remove(after, edits, tomlEditor.parse(before))).toBe(before);
  });

  test("goes into an inline table, where a header would define the table twice", () => {
    const before = "mcp_servers = { a = { url = 'x' } }\n";
    const after = tomlEditor.apply(before, edits);
    expect(tomlEditor.parse(after)).toEqual({
      mcp_servers: { a: { url: "x" }, svc: server },
      otel: { exporter },
    });
    expect(tomlEditor.remove(after, edits, tomlEditor.parse(before))).toBe(before);
  });
});

test("an older entry changes in place and keeps its comments; without ours, its values come back", () => {
  const before = "[mcp_servers.svc] # svc\nurl = 'https://old.test/mcp' # where\n[z]\na = 1\n";
  const after = tomlEditor.apply(before, edits);
  expect(after).toContain("[mcp_servers.svc] # svc\n");
  expect(after).toContain("# where\n");
  expect(tomlEditor.apply(after, edits)).toBe(after);
  const undone = tomlEditor.remove(after, edits, tomlEditor.parse(before));
  expect(tomlEditor.parse(undone)).toEqual({
    mcp_servers: { svc: { url: "https://old.test/mcp" } },
    z: { a: 1 },
  });
});

test.each(["model = ", "[a]\nx = 1\n[a]\nx = 2\n", "mcp_servers = 3\n"])("%j is refused", (text) => {
  expect(() => tomlEditor.apply(text, edits)).toThrow(SettingsError);
});

const comment = fc.constantFrom("", " # note", "  # ends with \"'[");
const value = fc.constantFrom(
  ...["1", "-0.5", "true", '"text # no comment"', "'literal'", '[ "a",  "b", ]', "{ x = 1, y = [2] }"],
  ...["1979-05-27T07:32:00Z", '"""\nmany\nlines"""', "[\n  1, # one\n  2,\n]"],
);
const names = ["alpha", "beta", "gamma", '"quoted key"', "tui", "projects"];
const pair = (name: string) => fc.tuple(value, comment).map(([text, end]) => `${name} = ${text}${end}`);
const pairs = fc.subarray(names, { maxLength: 4 }).chain((some) => fc.tuple(...some.map(pair)));
const blank = fc.constantFrom("", "\n", "# a comment of its own\n", "\n\n");
const headers = [
  "[mcp_servers.other]",
  "[otel]",
  "[history]",
  "[[steps]]",
  "[profiles.'a b']",
  '[profiles."/tmp/x"]',
];
const section = (header: string) =>
  fc.tuple(blank, comment, pairs).map(([gap, end, list]) => `${gap}${header}${end}\n${list.join("\n")}\n`);
const tomlText = fc
  .tuple(
    pairs,
    fc.shuffledSubarray(headers).chain((some) => fc.tuple(...some.map(section))),
    fc.boolean(),
  )
  .map(([top, sections, isWindows]) => {
    const text = `${top.join("\n")}\n${sections.join("")}`.trimStart();
    return isWindows ? text.replaceAll("\n", "\r\n") : text;
  });

test("any settings come back byte for byte, and hold ours in between", () => {
  fc.assert(
    fc.property(tomlText, (before) => {
      const former = tomlEditor.parse(before);
      const after = tomlEditor.apply(before, edits);
      const settings = tomlEditor.parse(after);
      expect(settings.mcp_servers).toEqual({ ...(former.mcp_servers as object), svc: server });
      expect(settings.otel).toEqual({ ...(former.otel as object), exporter });
      expect(after).toStartWith(before.trimEnd());
      expect(tomlEditor.apply(after, edits)).toBe(after);
      expect(tomlEditor.remove(after, edits, former).trimEnd()).toBe(before.trimEnd());
    }),
    { numRuns: 300 },
  );
});

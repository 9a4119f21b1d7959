/** Edits of JSON and JSONC keep everything else as it is. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type JsonValue, SettingsError } from "../../../../cli/agents/connect/settings/edit.ts";
import { jsonEditor } from "../../../../cli/agents/connect/settings/json-editor.ts";
import { ownItem } from "../../../../cli/agents/connect/writers/writer.ts";

const hookOf = (program: string) => ({
  hooks: [{ type: "command", command: `${program} hook claude-code` }],
});
const server = { type: "http", url: "https://svc.test/mcp" };
const edits = [
  { path: ["mcpServers", "svc"], value: server },
  ownItem("claude-code", ["hooks", "SessionStart"], hookOf("/usr/bin/svc")),
];
const ours = { mcpServers: { svc: server }, hooks: { SessionStart: [hookOf("/usr/bin/svc")] } };

test.each(["", "  \n", "{}", "{\n}\n"])("%j gets our settings", (before) => {
  const after = jsonEditor.apply(before, edits);
  expect(jsonEditor.parse(after)).toEqual(ours);
  expect(jsonEditor.apply(after, edits)).toBe(after);
});

test("comments, order, indentation, line ends and the byte order mark stay", () => {
  const before =
    '\uFEFF{\r\n\t// mine\r\n\t"z": [1,2], /* odd */\r\n\t"hooks": {\r\n\t\t"Stop": []\r\n\t},\r\n\t"a": 1,\r\n}\r\n';
  const after = jsonEditor.apply(before, edits);
  expect(after).toStartWith(
    '\uFEFF{\r\n\t// mine\r\n\t"z": [1,2], /* odd */\r\n\t"hooks": {\r\n\t\t"Stop": [],\r\n',
  );
  expect(after.replaceAll("\r\n", "")).not.toContain("\n");
  expect(after).toContain('\r\n\t"mcpServers": {\r\n\t\t"svc": {\r\n');
  expect(jsonEditor.parse(after)).toEqual({
    ...{ z: [1, 2], a: 1, mcpServers: { svc: server } },
    hooks: { Stop: [], SessionStart: [hookOf("/usr/bin/svc")] },
  });
});

test.each(["\n", "\r\n"])("the comment on the line of the last property stays there (%j)", (eol) => {
  for (const comma of ["", ","]) {
    const before = ["{", '  "a": 1, // one', `  "z": [2]${comma} // two`, "}", ""].join(eol);
    const after = jsonEditor.apply(before, edits);
    expect(after).toStartWith(
      ["{", '  "a": 1, // one', '  "z": [2], // two', '  "mcpServers": {', ""].join(eol),
    );
    expect(jsonEditor.parse(after)).toEqual({ a: 1, z: [2], ...ours });
    expect(jsonEditor.parse(jsonEditor.remove(after, edits, {}))).toEqual({ a: 1, z: [2] });
  }
});

describe("a hook", () => {
  const other = { matcher: "startup", hooks: [{ type: "command", command: "echo hi" }] };
  const withHooks = (...items: JsonValue[]) => JSON.stringify({ hooks: { SessionStart: items } }, null, 2);

  test("replaces the one that an older version wrote elsewhere, and leaves those of others", () => {
    const before = withHooks(other, hookOf("'/old place/svc'"), hookOf("/bin/bun /src/cli/main.ts"));
    const { hooks } = jsonEditor.parse(jsonEditor.apply(before, edits));
    expect(hooks).toEqual({ SessionStart: [other, hookOf("/usr/bin/svc")] });
  });

  test("of another program is not taken for svc's", () => {
    for (const command of ["mysvc hook claude-code", "svc hook claude-code --verbose", "svc hook codex"]) {
      const before = withHooks({ hooks: [{ type: "command", command }] });
      expect(jsonEditor.remove(before, edits, {})).toBe(before);
    }
  });

  test("goes away without those of others", () => {
    const after = jsonEditor.apply(withHooks(other), edits);
    expect(jsonEditor.parse(jsonEditor.remove(after, edits, {}))).toEqual({
      hooks: { SessionStart: [other] },
    });
  });
});

test("removing brings a former value back, and leaves no empty objects", () => {
  const former = { mcpServers: { svc: { command: "svc", args: ["mcp"] } }, a: 1 };
  const after = jsonEditor.apply(JSON.stringify(former), edits);
  expect(jsonEditor.parse(jsonEditor.remove(after, edits, former))).toEqual(former);
  expect(jsonEditor.parse(jsonEditor.remove(after, edits, {}))).toEqual({ a: 1 });
});

test.each(['{"a": }', "[1]", "null", '{"mcpServers": []}', '{"hooks": {"SessionStart": {}}}', '{"a": 1'])(
  "%j is refused",
  (text) => expect(() => jsonEditor.apply(text, edits)).toThrow(SettingsError),
);

/** Read back, jsonc-parser takes this member for the prototype of its object; the text keeps it. */
const isReadable = (value: unknown) => !JSON.stringify(value).includes('"__proto__"');

test("any settings stay, with ours added", () => {
  fc.assert(
    fc.property(
      fc.dictionary(
        fc.constantFrom("a", "b c", "é", "env"),
        fc.jsonValue({ maxDepth: 3 }).filter(isReadable),
      ),
      fc.constantFrom(undefined, 2, 4, "\t"),
      (settings, space) => {
        const before = JSON.stringify(settings, null, space);
        const after = jsonEditor.apply(before, edits);
        const plain = JSON.parse(before);
        expect(jsonEditor.parse(after)).toEqual({ ...plain, ...ours });
        expect(jsonEditor.parse(jsonEditor.remove(after, edits, plain))).toEqual(plain);
      },
    ),
  );
});

/** Arguments that a client sends as text though the schema has a number, a boolean, or a list. */
import { expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { withTextRead } from "../../../src/api/mcp/tools/call-tool.ts";
import { type ToolAnswer, toolCall } from "../../support/agents/mcp-clients.ts";
import { event, openApp } from "../../support/harness.ts";

test("a number as text is answered as the number is, and one out of range is refused", async () => {
  await using app = await openApp("sqlite", { SVC_PUBLIC_READ: "1" });
  await app.ctx.data.append(Array.from({ length: 7 }, () => event()));
  const ask = async (limit: unknown) => {
    const response = await app.ask("/mcp", toolCall("older", "svc_get_feed", { limit }));
    return ((await response.json()) as { result: ToolAnswer & { structuredContent?: { count: number } } })
      .result;
  };
  const answer = await ask("5");
  expect([answer.structuredContent?.count, answer]).toEqual([5, await ask(5)]);
  for (const refused of ["0", "five", "5.5", "", "0x5"]) expect((await ask(refused)).isError).toBe(true);
});

const schema = Type.Object({
  count: Type.Union([Type.Integer({ maximum: 9 }), Type.Null()]),
  ratio: Type.Number(),
  isDone: Type.Boolean(),
  tags: Type.Array(Type.String()),
  name: Type.String(),
  either: Type.Union([Type.String(), Type.Integer()]),
});

test.each<[name: string, given: unknown, read: unknown]>([
  ["count", "5", 5],
  ["ratio", "-0.5", -0.5],
  ["isDone", "true", true],
  ["tags", '["a","b"]', ["a", "b"]],
  ["isDone", "True", true],
  ["isDone", "False", false],
  ["tags", "a", ["a"]],
  ["name", 5, "5"],
  ["name", 0.5, "0.5"],
  ["tags", 5, 5],
  ["either", 5, 5],
  ["name", true, true],
  ["count", "10", "10"],
  ["count", "true", "true"],
  ["tags", "[1]", "[1]"],
  ["tags", "[a", "[a"],
  ["tags", "a,b", "a,b"],
  ["name", "5", "5"],
  ["name", "true", "true"],
  ["either", "5", "5"],
  ["unknown", "5", "5"],
])("%s given as %s is read only where the schema leaves no doubt", (name, given, read) => {
  expect(withTextRead(schema, { [name]: given })).toEqual({ [name]: read });
});

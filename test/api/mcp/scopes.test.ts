/** Who may call which tool, in every combination; and that the words of others never leave their marks. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { toolOperations } from "../../../src/api/operations/index.ts";
import { allScopes, publicScopes, type Scope } from "../../../src/core/auth/scopes.ts";
import { checker } from "../../../src/core/lib/validate.ts";
import { eras, type ToolAnswer, textOf, toolCall } from "../../support/agents/mcp-clients.ts";
import { calls, type Library, openLibrary, textTools } from "../../support/agents/mcp-library.ts";
import { must, oneDialect } from "../../support/harness.ts";

const scopeSets: [name: string, scopes: Scope[]][] = [
  ["every scope", allScopes],
  ...allScopes.map((scope): [string, Scope[]] => [`${scope} alone`, [scope]]),
  ...allScopes.map((scope): [string, Scope[]] => [
    `all but ${scope}`,
    allScopes.filter((other) => other !== scope),
  ]),
];

describe.each(oneDialect)("on %s", (dialect) => {
  describe.each([
    ["without public read", "0"],
    ["with public read", "1"],
  ])("%s", (_, publicRead) => {
    let library: Library;
    let transactions = 0;
    beforeAll(async () => {
      library = await openLibrary(dialect, { SVC_PUBLIC_READ: publicRead });
      const { data } = library.ctx;
      const atomically = data.atomically;
      data.atomically = (work) => {
        transactions++;
        return atomically(work);
      };
      const model = {
        id: "model-1",
        provider: "acme",
        lanes: [],
        onboarded_at: 1,
        refreshed_at: 1,
        guidance_count: 0,
        skill_count: 0,
      };
      await data.atomically((writes) => writes.saveModel(model));
    });
    afterAll(() => library.close());

    const isOpen = (scope: Scope | "public") =>
      scope === "public" || (publicRead === "1" && publicScopes.has(scope));

    /**
     * Calls every tool. One that may not be called names its scope and has begun no write; any other answers
     * as described.
     */
    async function callAll(may: (scope: Scope | "public") => boolean, token?: string): Promise<void> {
      for (const { tool, scope, output } of toolOperations) {
        const isTextOnly = textTools.has(tool.name);
        const args = await must(calls[tool.name])(library);
        const era = must(eras[tool.name.length % 2]);
        transactions = 0;
        const response = await library.ask("/mcp", {
          ...toolCall(era, tool.name, args),
          ...(token && { token }),
        });
        const { result } = (await response.json()) as { result: ToolAnswer };
        const where = `${tool.name}: ${textOf(result)}`;
        expect([where, result.isError ?? false]).toEqual([where, !may(scope)]);
        if (may(scope) && isTextOnly) expect([where, result.structuredContent]).toEqual([where, undefined]);
        else if (may(scope))
          expect([where, checker(output).Check(result.structuredContent)]).toEqual([where, true]);
        else {
          expect(textOf(result)).toContain(scope);
          expect([where, transactions, result.structuredContent]).toEqual([where, 0, undefined]);
        }
      }
    }

    test.each(scopeSets)("%s", async (_, scopes) => {
      const token = await library.mint(scopes);
      await callAll((scope) => isOpen(scope) || scopes.includes(scope as Scope), token);
    });

    test("no token", () => callAll(isOpen));
  });
});

test("every tool is covered", () => {
  expect(toolOperations.map(({ tool }) => tool.name).filter((name) => !calls[name])).toEqual([]);
});

test("a missing scope is reported with what the user can change", async () => {
  await using library = await openLibrary("sqlite");
  const token = await library.mint(["assets:read"]);
  const say = async (one?: string) =>
    textOf(
      (
        (await (
          await library.ask("/mcp", { ...toolCall("older", "svc_get_feed"), ...(one && { token: one }) })
        ).json()) as {
          result: ToolAnswer;
        }
      ).result,
    );
  expect(await say(token)).toBe(
    "The token lacks the scope feed:read. Ask the user for a token with any role except telemetry; an admin can create one.",
  );
  expect(await say()).toBe(
    "This requires a token with the scope feed:read. Ask the user to configure one for this MCP server, as the header `Authorization: Bearer …`; an admin can create one.",
  );
});

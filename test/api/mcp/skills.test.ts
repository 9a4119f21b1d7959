/** Skills over MCP (SEP-2640), for clients of both protocols. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { eras, mcpRequest } from "../../support/agents/mcp-clients.ts";
import { openApp, type TestApp } from "../../support/harness.ts";

interface SkillEntry {
  uri: string;
  frontmatter: { name: string; description: string };
  resources: { uri: string; digest: string; size: number }[];
}

let app: TestApp;
beforeAll(async () => {
  app = await openApp("sqlite");
});
afterAll(() => app.close());

describe.each(eras)("skills of the %s protocol", (era) => {
  const ask = async <T>(method: string, params: Record<string, unknown> = {}) =>
    (await (await app.ask("/mcp", mcpRequest(era, method, params))).json()) as {
      result: T;
      error?: { code: number };
    };

  test("are declared, listed, and read without a token; each file is what its entry says", async () => {
    const hello =
      era === "older"
        ? await ask<{ capabilities: object }>("initialize", {
            protocolVersion: "2025-11-25",
            capabilities: {},
            clientInfo: { name: "test", version: "1" },
          })
        : await ask<{ capabilities: object }>("server/discover");
    expect(hello.result.capabilities).toMatchObject({
      resources: {},
      extensions: { "io.modelcontextprotocol/skills": {} },
    });
    const { result } = await ask<{ skills: SkillEntry[]; ttlMs?: number }>("skills/list");
    expect(result.skills.map(({ frontmatter }) => frontmatter.name)).toEqual([
      "start-a-task",
      "upload-a-result",
      "address-a-rejection",
    ]);
    expect("ttlMs" in result).toBe(era === "modern"); // hints to caches are of revision 2026-07-28
    for (const entry of result.skills) {
      const { uri, frontmatter, resources } = entry;
      expect(uri).toBe(`skill://svc/${frontmatter.name}/SKILL.md`);
      expect(resources.map((file) => file.uri)).toEqual([uri]);
      const read = await ask<{ contents: [{ text: string; mimeType: string }] }>("resources/read", { uri });
      const [{ text, mimeType }] = read.result.contents;
      expect(mimeType).toBe("text/markdown");
      expect(resources[0]).toMatchObject({
        digest: `sha256:${new Bun.CryptoHasher("sha256").update(text).digest("hex")}`,
        size: Buffer.byteLength(text),
      });
      expect(Bun.YAML.parse(text.split("---\n")[1] ?? "")).toEqual(frontmatter);
      expect((await ask<{ skill: SkillEntry }>("skills/get", { uri })).result.skill).toEqual(entry);
    }
  });

  test("that are not there are an error of the params", async () => {
    for (const params of [{ uri: "skill://svc/nope/SKILL.md" }, {}, { uri: 7 }])
      expect((await ask("skills/get", params)).error?.code).toBe(-32602);
    expect((await ask("resources/read", { uri: "skill://svc/../SKILL.md" })).error).toBeDefined();
  });
});

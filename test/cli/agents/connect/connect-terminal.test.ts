/** svc connect on a terminal: colored changes, and a question before anything is written. */
import { expect, test } from "bun:test";
import { spoolLines } from "../../../../cli/agents/connect/connection-list.ts";
import { agentHome } from "../../../support/agents/agent-home.ts";
import { useLinkedServer } from "../../../support/agents/linked-server.ts";
import { runInTerminal } from "../../../support/agents/pseudo-terminal.ts";
import { until } from "../../../support/harness.ts";

const linked = useLinkedServer();

test.each([
  ["n", false],
  ["y", true],
])("the answer %s", async (answer, isWritten) => {
  const SVC_DATABASE_URL = linked.database.url;
  await using machine = await agentHome({ SVC_DATABASE_URL });
  const env = {
    SVC_DATABASE_URL,
    HOME: machine.path,
    XDG_CONFIG_HOME: `${machine.path}/.config`,
    NO_COLOR: undefined,
  };
  await using terminal = runInTerminal(["connect", "cursor", "--project", "atlas"], env);
  await until(() => terminal.output().includes("Connect Cursor with these changes? [y/N]"), "the question");
  expect(terminal.output()).toContain('\x1b[32m+  "mcpServers": {');
  expect(await machine.read(".cursor/mcp.json")).toBeNull();
  terminal.type(`${answer}\n`);
  expect(await terminal.ended).toBe(0);
  expect((await machine.read(".cursor/mcp.json")) !== null).toBe(isWritten);
  expect(terminal.output()).toContain(
    isWritten ? "Cursor is connected to atlas" : "Cursor: nothing was written.",
  );
});

test("--list says what keeps reports of hooks on this machine, and nothing if nothing does", () => {
  const quiet = { waiting: 0, dropped: 0, refused: 0, refusals: [], destinations: [] };
  expect(spoolLines(quiet)).toEqual([]);
  const server = "https://svc.test";
  const refusals = [{ at: "2026-11-23T00:00:00Z", run_id: null, reason: "unknown project" }];
  const destinations = [{ server, connection: null, sent_at: null, error: "ECONNREFUSED" }];
  expect(spoolLines({ waiting: 3, dropped: 2, refused: 1, refusals, destinations })).toEqual([
    "Reports of hooks waiting to be sent: 3.",
    "Cannot send to https://svc.test: ECONNREFUSED",
    "Reports refused: 1, the newest because: unknown project",
    "Reports deleted unsent, because too many were waiting: 2.",
  ]);
});

/** Which token svc connect gives to an agent, for which project, and what it says about connections. */
import { describe, expect, test } from "bun:test";
import { agentHome } from "../../../support/agents/agent-home.ts";
import { jsonLines, useLinkedServer } from "../../../support/agents/linked-server.ts";
import { programToken } from "../../../support/program.ts";

const linked = useLinkedServer();
/** A home on the machine that holds the database, and one elsewhere. */
const home = () => agentHome({ SVC_DATABASE_URL: linked.database.url });
const remoteHome = () => agentHome({ SVC_URL: linked.server.origin });

const createToken = async (name: string, ...flags: string[]): Promise<string> => {
  await using machine = await home();
  return (await machine.svc(["token", "create", name, ...flags])).output.trim();
};

interface ListedToken {
  name: string;
  role: string | null;
  projects: string[] | null;
}

test("on the machine of the database, the agent gets a token of its role, for one project", async () => {
  await using machine = await home();
  expect((await machine.svc(["connect", "copilot", "--yes"])).code).toBe(0);
  const tokens = jsonLines<ListedToken>((await machine.svc(["token", "list", "--json"])).output);
  expect(tokens.filter(({ name }) => name.startsWith("copilot-"))).toEqual([
    expect.objectContaining({ role: "agent", projects: ["atlas"] }),
  ]);
});

describe("from elsewhere", () => {
  test("a token that can review is not written into the settings of an agent", async () => {
    await using machine = await remoteHome();
    const { code, errors } = await machine.svc(["connect", "cursor", "--yes"], { SVC_TOKEN: programToken });
    expect([code, errors.split("\n").length]).toEqual([1, 2]);
    expect(errors).toMatch(/can review assets.* svc token create cursor-\w{6} --role agent --project atlas /);
    expect(await machine.read(".cursor/mcp.json")).toBeNull();
  });

  test("a token that cannot report, or not to this project, is refused as well", async () => {
    await using machine = await remoteHome();
    const reader = await createToken("only-reader", "--role", "reader");
    const refused = await machine.svc(["connect", "cursor", "--yes"], { SVC_TOKEN: reader });
    expect([refused.code, refused.errors]).toEqual([
      1,
      expect.stringContaining("cannot report runs (feed:write)"),
    ]);
    const unknown = await machine.svc(["connect", "cursor", "--yes"], { SVC_TOKEN: "svc_wrong" });
    expect(unknown.code).toBe(1);
  });

  test("the token of the login or of standard input is used as it is", async () => {
    const token = await createToken("remote-agent", "--role", "agent", "--project", "atlas");
    await using machine = await remoteHome();
    expect((await machine.svc(["connect", "cursor", "--yes"], { SVC_TOKEN: token })).code).toBe(0);
    const other = await createToken("other-agent", "--role", "agent", "--project", "atlas");
    const args = ["connect", "cursor", "--yes", "--token-stdin"];
    // Also without a login.
    expect(await machine.svc(args, { SVC_TOKEN: "" }, `${other}\n`)).toMatchObject({ code: 0 });
    const { mcpServers } = (await machine.json(".cursor/mcp.json")) as { mcpServers: Record<string, object> };
    expect(mcpServers).toEqual({
      svc: { url: `${linked.server.origin}/mcp`, headers: { Authorization: `Bearer ${other}` } },
    });
  });
});

test("a server that does not answer is an error before anything is written", async () => {
  await using machine = await agentHome({ SVC_URL: "http://127.0.0.1:1", SVC_TOKEN: "svc_x" });
  const { code, errors } = await machine.svc(["connect", "cursor", "--yes"]);
  expect([code, errors]).toEqual([1, expect.stringContaining("svc does not answer at http://127.0.0.1:1.")]);
});

test("an unknown agent, scope or project is one line", async () => {
  await using machine = await home();
  const codes = async (...args: string[]) => {
    const { code, errors } = await machine.svc(["connect", ...args, "--yes"]);
    return [code, errors.split("\n").length];
  };
  expect(await codes("clippy")).toEqual([2, 2]);
  expect(await codes("cursor", "--scope", "all")).toEqual([2, 2]);
  expect(await codes("cursor", "--project", "none")).toEqual([1, 2]);
  const nothing = await machine.svc(["disconnect", "cursor", "--yes"]);
  expect([nothing.code, nothing.errors]).toEqual([
    1,
    expect.stringContaining("Cursor is not connected here."),
  ]);
});

test("without a project in the repository's name, one of several has to be chosen", async () => {
  await using machine = await home();
  await machine.svc(["project", "link", "borealis", "--repo", "acme/borealis"]);
  Bun.spawnSync(["git", "remote", "set-url", "origin", "https://github.com/acme/other"], {
    cwd: machine.repository,
  });
  const { code, errors } = await machine.svc(["connect", "cursor", "--yes"]);
  expect([code, errors]).toEqual([
    2,
    expect.stringMatching(/^svc: Choose a project with --project: .*borealis/),
  ]);
  expect((await machine.svc(["connect", "cursor", "--yes", "--project", "borealis"])).code).toBe(0);
});

test("--list says what is connected, and when it last sent something", async () => {
  await using machine = await home();
  await machine.svc(["connect", "vscode", "--yes"]);
  const { output } = await machine.svc(["connect", "--list", "--json"]);
  expect(jsonLines(output)).toEqual([
    {
      ...{ agent: "vscode", folder: null, server: linked.server.origin, project: "atlas" },
      ...{ connected_at: expect.any(String), last_event_at: expect.any(String) },
      ...{ error: null, error_status: null, hooks: null, hooks_error: null },
    },
  ]);
  expect((await machine.svc(["connect", "--list"])).output).toMatch(/VS Code +atlas .+ all +\S+/);
});

test("the check leaves one event without a run in the feed, and no second one", async () => {
  await using machine = await home();
  const events = async () => {
    const { output } = await machine.svc(["feed", "--json", "--actor", "agent:opencode"]);
    return jsonLines<{ kind: string; summary: string; run_id?: string }>(output);
  };
  await machine.svc(["connect", "opencode", "--yes"]);
  await machine.svc(["connect", "opencode", "--yes"]);
  const [event, ...others] = await events();
  expect(others).toEqual([]);
  expect(event).toMatchObject({ kind: "step.usage", summary: "OpenCode connected" });
  expect(event).not.toHaveProperty("run_id");
});

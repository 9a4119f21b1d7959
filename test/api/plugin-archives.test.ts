/** The archives and links that a deployment gives to agents: each is made for its URL and holds no token. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import * as zip from "@zip.js/zip.js/lib/zip-core-external.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import { cursorLink, vscodeLink } from "../../src/api/plugins/install-links.ts";
import { roles } from "../../src/core/auth/scopes.ts";
import { paths } from "../../src/core/info.ts";
import { link, must, openApp, type TestApp, temporaryFolder } from "../support/harness.ts";

let app: TestApp;
beforeAll(async () => {
  app = await openApp("sqlite");
});
afterAll(() => app.close());

async function unpack(path: string): Promise<Map<string, string>> {
  const response = await app.ask(path);
  expect(response.headers.get("content-type")).toBe("application/zip");
  const reader = new zip.ZipReader(new zip.Uint8ArrayReader(await response.bytes()), {
    useWebWorkers: false,
  });
  const texts = new Map<string, string>();
  for (const entry of await reader.getEntries())
    if (!entry.directory) texts.set(entry.filename, await entry.getData(new zip.TextWriter()));
  expect([...texts.values()].join("")).not.toMatch(/svc_\w{40}/);
  return texts;
}

const json = (texts: Map<string, string>, path: string) => JSON.parse(must(texts.get(path)));
const skills = ["address-a-rejection", "start-a-task", "upload-a-result"].map(
  (name) => `skills/${name}/SKILL.md`,
);

const string = { type: "string" };
/** Agent Plugins 1.0.0: both documents are closed. */
const formats = {
  "plugin.json": {
    type: "object",
    required: ["$schema", "name"],
    additionalProperties: false,
    properties: {
      $schema: { const: "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json" },
      name: {
        type: "string",
        pattern: "^(?!.*(?:--|\\.\\.))[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$",
        maxLength: 64,
      },
      version: string,
      description: string,
      homepage: string,
      license: string,
      author: {
        type: "object",
        additionalProperties: false,
        properties: { name: string, email: string, url: string },
      },
    },
  },
  "mcp.json": {
    type: "object",
    required: ["$schema", "mcpServers"],
    additionalProperties: false,
    properties: {
      $schema: { const: "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json" },
      mcpServers: {
        type: "object",
        additionalProperties: {
          type: "object",
          required: ["type", "url"],
          additionalProperties: false,
          properties: { type: { const: "streamable-http" }, url: string },
        },
      },
    },
  },
};

test("the Agent Plugin has the form of 1.0.0, the skills, and hooks where Copilot CLI reads them", async () => {
  const texts = await unpack(paths.agentPluginArchive);
  expect([...texts.keys()].toSorted()).toEqual(
    ["com.github.copilot/hooks/hooks.json", "mcp.json", "plugin.json", ...skills].toSorted(),
  );
  for (const [path, format] of Object.entries(formats)) {
    const validate = new Ajv2020().compile(format);
    validate(json(texts, path));
    expect([path, validate.errors]).toEqual([path, null]);
  }
  expect(json(texts, "mcp.json").mcpServers.svc.url).toBe("http://svc.test/mcp");
  const { hooks } = json(texts, "com.github.copilot/hooks/hooks.json");
  expect(Object.keys(hooks)).toContain("SessionStart");
  // Copilot CLI denies a tool when a hook fails.
  for (const [{ bash }] of Object.values(hooks) as [{ bash: string }][]) {
    const { exitCode, stdout } = Bun.spawnSync(["sh", "-c", bash], { env: { PATH: "/usr/bin:/bin" } });
    expect([bash, exitCode, stdout.toString()]).toEqual([bash, 0, ""]);
  }
});

test("the extension of Gemini CLI knows the URL, and asks for the token alone", async () => {
  const texts = await unpack(paths.geminiArchive);
  expect([...texts.keys()].toSorted()).toEqual(
    ["gemini-extension.json", "hooks/hooks.json", "hooks/svc-hook.sh", ...skills].toSorted(),
  );
  const { settings, mcpServers } = json(texts, "gemini-extension.json");
  expect(settings.map(({ envVar }: { envVar: string }) => envVar)).toEqual(["SVC_TOKEN"]);
  expect(mcpServers.svc.httpUrl).toBe("http://svc.test/mcp");
  const { hooks } = json(texts, "hooks/hooks.json");
  expect(hooks.SessionStart[0].hooks[0].command).toStartWith("SVC_URL='http://svc.test' sh ");
});

test("the marketplace of Codex knows the URL, and its plugin loads hooks that need no svc", async () => {
  const texts = await unpack(paths.codexArchive);
  const files = [
    ".codex-plugin/plugin.json",
    ".mcp.json",
    "hooks/hooks.json",
    "hooks/svc-hook.sh",
    ...skills,
  ];
  const inPlugin = files.map((path) => `plugin/${path}`);
  expect([...texts.keys()].toSorted()).toEqual([".agents/plugins/marketplace.json", ...inPlugin].toSorted());
  expect(json(texts, ".agents/plugins/marketplace.json").plugins[0].source.path).toBe("./plugin");
  expect(json(texts, "plugin/.mcp.json").mcpServers.svc).toMatchObject({ url: "http://svc.test/mcp" });
  const { hooks } = json(texts, "plugin/hooks/hooks.json");
  expect(hooks.SessionStart[0].hooks[0]).toEqual({
    type: "command",
    command: `SVC_URL='http://svc.test' sh "\${PLUGIN_ROOT}/hooks/svc-hook.sh" codex`,
    additionalContextLimit: 10_000,
  });
});

test("the plugin of OpenCode gives a session its brief over HTTP, without svc on the machine", async () => {
  const token = await app.mint(roles.agent.scopes);
  await using work = await temporaryFolder();
  const git = (...words: string[]) => Bun.spawnSync(["git", "-C", work.path, ...words]);
  git("init", "-q");
  git("remote", "add", "origin", "https://github.com/acme/atlas.git");
  const plugin = join(work.path, "svc.js");
  const text = await (await app.ask(paths.openCodePlugin)).text();
  expect(text).not.toMatch(/svc_\w{40}/);
  await Bun.write(plugin, text.replaceAll("http://svc.test", app.listen()));
  await link(app.ctx.data, "atlas");
  const program = `const { svc } = await import(${JSON.stringify(plugin)});
    const hooks = await svc({ directory: ${JSON.stringify(work.path)} });
    const session = { sessionID: "ses_1", info: { id: "ses_1" } };
    await hooks.event({ event: { type: "session.created", properties: session } });
    const system = [];
    await hooks["experimental.chat.system.transform"](session, { system });
    process.stdout.write(system.join());`;
  const env = { PATH: "/usr/bin:/bin", HOME: work.path, SVC_TOKEN: token };
  const child = Bun.spawn([process.execPath, "-e", program], { env });
  expect(await new Response(child.stdout).text()).toContain("Your run is ses_1");
});

test("links name the server, and where the editor takes the token from", async () => {
  const site = "https://svc.example.com";
  const cursor = new URL(cursorLink(site));
  expect(`${cursor.protocol}//${cursor.host}${cursor.pathname}`).toBe(
    "cursor://anysphere.cursor-deeplink/mcp/install",
  );
  expect(cursor.searchParams.get("name")).toBe("svc");
  expect(JSON.parse(atob(must(cursor.searchParams.get("config"))))).toEqual({
    url: `${site}/mcp`,
    headers: { Authorization: `Bearer \${env:SVC_TOKEN}` },
  });
  const code = vscodeLink(site);
  expect(code).toStartWith("vscode:mcp/install?");
  expect(JSON.parse(decodeURIComponent(code.slice("vscode:mcp/install?".length)))).toMatchObject({
    name: "svc",
    type: "http",
    url: `${site}/mcp`,
    headers: { Authorization: `Bearer \${input:svc-token}` },
    inputs: [{ type: "promptString", id: "svc-token", password: true }],
  });
  const page = await (await app.ask("/docs/connect", { headers: { accept: "text/html" } })).text();
  for (const link of [cursorLink, vscodeLink].map((make) => Bun.escapeHTML(make("http://svc.test"))))
    expect(page).toContain(`href="${link}"`);
});

/**
 * Five agents from npm on a machine without svc: a network of its own, an empty home, and no file that a
 * person edits. SVC_TEST_AGENTS names a folder that has them: `npm install @anthropic-ai/claude-code
 * @openai/codex @google/gemini-cli @github/copilot opencode-ai`, and its `node_modules/.bin`.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { allScopes } from "../../src/core/auth/scopes.ts";
import { linkIn, migratedDatabase, must, programToken, temporaryFolder, until } from "../support/harness.ts";
import { runProgram } from "../support/program.ts";
import { run } from "../support/release/packages.ts";

const agents = process.env.SVC_TEST_AGENTS ?? "";
const network = `svc-${process.pid}`;
const address = "198.18.43.1";
const site = `https://${address}:8443`;
const inNetwork = ["ip", "netns", "exec", network];
const stack = new AsyncDisposableStack();
let root = "";
let modelUrl = "";
const origin = "http://127.0.0.1:8787";

beforeAll(async () => {
  if (!agents) return;
  root = stack.use(await temporaryFolder()).path;
  await sh(`ip netns add ${network}; ip -n ${network} link set lo up
    ip -n ${network} addr add ${address}/24 dev lo`);
  stack.defer(async () => {
    await run(["ip", "netns", "delete", network]);
  });
  await sh(`openssl req -x509 -newkey rsa:2048 -nodes -keyout ${root}/key.pem -out ${root}/cert.pem -days 1 \\
    -subj /CN=svc -addext subjectAltName=IP:${address}`);
  const database = stack.use(await migratedDatabase("sqlite"));
  await linkIn(database);
  const tokens = `${programToken}:${allScopes.join(",")}`;
  const env = { SVC_DATABASE_URL: database.url, SVC_SITE_URL: site, SVC_API_TOKENS: tokens };
  const server = stack.use(runProgram(["serve", "--port", "8787"], env, inNetwork));
  await until(() => server.output().includes("running at"), "the server");
  const program = join(import.meta.dir, "../support/agents/scripted-model.ts");
  const model = Bun.spawn([...inNetwork, process.execPath, program, root, origin], { stdout: "pipe" });
  stack.defer(async () => model.kill());
  const { value } = await model.stdout.getReader().read();
  modelUrl = `http://${address}:${new TextDecoder().decode(value).split(" ")[0]}`;
  const json = JSON.stringify({ project: "atlas", text: "Maps are drawn for screens, not for paper" });
  await api("/decisions", "-d", json, "-H", "content-type: application/json");
  await mkdir(join(root, "home"));
  await sh(`git init -q -b issue-12-map ${root}/work
    git -C ${root}/work remote add origin https://github.com/acme/atlas.git`);
});
afterAll(() => stack.disposeAsync());

/** @throws Error with what the script wrote to standard error */
async function sh(script: string, env: Record<string, string> = {}): Promise<string> {
  const all = { PATH: process.env.SVC_TEST_MACHINE_PATH ?? process.env.PATH ?? "", ...env };
  const { code, output, errors } = await run(["sh", "-ec", script], { env: all });
  if (code !== 0) throw new Error(errors);
  return output;
}

const api = async (path: string, ...words: string[]): Promise<unknown> => {
  const headers = ["-H", `authorization: Bearer ${programToken}`];
  const { output } = await run([
    ...inNetwork,
    "curl",
    "-fsS",
    `${origin}/api/v1${path}`,
    ...headers,
    ...words,
  ]);
  return JSON.parse(output);
};

const unpack = (path: string, to: string): string =>
  `curl -fsSo ${to}.zip ${site}${path} && unzip -qo ${to}.zip -d ${to}`;

/** How each is connected and asked, by commands alone. What names the model is none of svc. */
const scripts: Record<string, (model: string) => string> = {
  "claude-code": (model) => `claude plugin marketplace add ${site}/connect/claude-code/marketplace.json
    claude plugin install svc@svc --config token=$SVC_TOKEN
    ANTHROPIC_BASE_URL=${model} ANTHROPIC_API_KEY=x claude -p hi`,
  codex: (model) => `${unpack("/connect/codex/svc.zip", "$HOME/svc-codex")}
    codex plugin marketplace add $HOME/svc-codex && codex plugin add svc@svc
    codex exec --dangerously-bypass-hook-trust -m gpt-5 -c model_provider=t \\
      -c 'model_providers.t={name="t",base_url="${model}/v1",wire_api="responses"}' hi`,
  "gemini-cli": (model) => `${unpack("/connect/gemini-cli/svc.zip", "$HOME/svc-gemini")}
    export GEMINI_CLI_TRUST_WORKSPACE=true GEMINI_API_KEY=x
    gemini extensions install $HOME/svc-gemini --consent --skip-settings
    echo '{"security":{"auth":{"selectedType":"gemini-api-key"}}}' >$HOME/.gemini/settings.json
    GOOGLE_GEMINI_BASE_URL=${model} timeout 60 gemini -m gemini-2.5-pro -p hi || :`,
  copilot: (model) => `${unpack("/connect/agent-plugin/svc.zip", "$HOME/svc-plugin")}
    export COPILOT_OFFLINE=true COPILOT_PROVIDER_TYPE=openai COPILOT_PROVIDER_API_KEY=x COPILOT_MODEL=gpt-5
    COPILOT_PROVIDER_BASE_URL=${model}/v1 copilot --plugin-dir $HOME/svc-plugin -p hi --allow-all-tools`,
  opencode: (
    model,
  ) => `curl -fsS --create-dirs -o $HOME/.config/opencode/plugins/svc.js ${site}/connect/opencode/svc.js
    export OPENCODE_CONFIG_CONTENT='{"model":"t/m","provider":{"t":{"npm":"@ai-sdk/openai-compatible",
      "options":{"baseURL":"${model}/v1","apiKey":"x"},"models":{"m":{}}}}}'
    OPENCODE_DISABLE_AUTOUPDATE=1 OPENCODE_DISABLE_MODELS_FETCH=1 opencode run hi`,
};

test.if(agents !== "").each(Object.entries(scripts))(
  "a session of %s without svc has its brief, and is a run of its issue",
  async (agent, script) => {
    const home = join(root, "home");
    const prompts = join(root, "model.ndjson");
    await Bun.write(prompts, "");
    const env = { PATH: `${agents}:/usr/bin:/bin`, HOME: home, SVC_URL: site, SVC_TOKEN: programToken };
    const trust = { NODE_EXTRA_CA_CERTS: `${root}/cert.pem`, CURL_CA_BUNDLE: `${root}/cert.pem` };
    const words = Object.entries({ ...env, ...trust }).map(([name, value]) => `${name}=${value}`);
    const command = ["env", "-i", "-C", join(root, "work"), ...words, "sh", "-ec", script(modelUrl)];
    const { errors } = await run([...inNetwork, ...command]);
    expect([await Bun.file(prompts).text(), errors]).toEqual([
      expect.stringContaining("Maps are drawn for screens, not for paper"),
      expect.any(String),
    ]);
    const { runs } = (await api("/runs?project=atlas")) as { runs: { actor: string; issue: number }[] };
    const own = must(runs.find(({ actor }) => actor === `agent:${agent}`));
    expect(own).toMatchObject({ issue: 12 });
  },
);

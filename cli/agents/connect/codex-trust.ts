/** Whether Codex runs the hooks of svc: it skips those that its user has not trusted, without a word. */
import { agents } from "../../../src/core/agents/agents.ts";
import { isHookCommand } from "./hook-command.ts";

/** `unknown`: Codex is not installed, or too old to tell. */
export type Trust = "trusted" | "untrusted" | "unknown";

export const untrustedHooks =
  "Codex skips these hooks until you trust them: start codex, which asks, or open /hooks.";

/** An answer takes 0.2 s (0.171.0). */
const answerMs = 5_000;

interface ListedHook {
  command?: string | null;
  trustStatus?: string;
}

/** Asks Codex itself: only it knows the hash of a hook as it is now. @param folder where a session would run */
export async function codexTrust(folder: string): Promise<Trust> {
  const program = Bun.which(agents.codex.program);
  if (program === null) return "unknown";
  const server = Bun.spawn([program, "app-server"], {
    cwd: folder,
    stdin: "pipe",
    stdout: "pipe",
    stderr: "ignore",
  });
  const timer = setTimeout(() => server.kill(), answerMs);
  try {
    for (const message of listHooks(folder)) server.stdin.write(`${JSON.stringify(message)}\n`);
    await server.stdin.flush();
    return trustIn(await answerFrom(server.stdout));
  } catch {
    return "unknown";
  } finally {
    clearTimeout(timer);
    server.kill();
  }
}

const requestId = 2;
const listHooks = (folder: string): object[] => [
  { jsonrpc: "2.0", id: 1, method: "initialize", params: { clientInfo: { name: "svc", version: "1" } } },
  { jsonrpc: "2.0", method: "initialized" },
  { jsonrpc: "2.0", id: requestId, method: "hooks/list", params: { cwds: [folder] } },
];

/** The hooks of the answer, which comes among notifications, one JSON object a line. */
async function answerFrom(output: ReadableStream<Uint8Array>): Promise<ListedHook[]> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of output) {
    const lines = (text + decoder.decode(chunk, { stream: true })).split("\n");
    text = lines.pop() ?? "";
    for (const line of lines) {
      const { id, result } = JSON.parse(line) as {
        id?: number;
        result?: { data: { hooks: ListedHook[] }[] };
      };
      if (id === requestId) return result?.data.flatMap(({ hooks }) => hooks) ?? [];
    }
  }
  return [];
}

function trustIn(hooks: readonly ListedHook[]): Trust {
  const own = hooks.filter(({ command }) => isHookCommand(command, "codex"));
  if (own.length === 0) return "unknown";
  return own.every(({ trustStatus }) => trustStatus === "trusted" || trustStatus === "managed")
    ? "trusted"
    : "untrusted";
}

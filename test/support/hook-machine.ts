/** The machine of a user for the tests of hooks: folders of its own, and connections of Claude Code. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { saveConnection } from "../../cli/agents/connections.ts";
import { listSpool } from "../../cli/agents/spool/spool.ts";
import { type SpoolStatus, spoolStatus } from "../../cli/agents/spool/status.ts";
import { until } from "./conditions.ts";
import { programCommand, programEnvironment } from "./program.ts";
import { type Closable, closable, temporaryFolder } from "./resources.ts";

export interface HookCall {
  code: number;
  output: string;
  errors: string;
  /** From the start of the process to its end. */
  ms: number;
}

export interface HookMachine extends Closable {
  /** Environment of programs on this machine. */
  env: Record<string, string>;
  /** Below it: `config/svc`, `state/svc`, and the folder `work` of the sessions. */
  root: string;
  spool: string;
  hook(input: object | string, agent?: string): Promise<HookCall>;
  connect(server: string, token: string, folder?: string | null): void;
  waiting(): string[];
  status(): SpoolStatus;
  /** Resolves when nothing waits and no sender runs. */
  drained(): Promise<void>;
  /** The process id of the sender that runs; null if none does. */
  sender(): number | null;
}

/** A hook of Claude Code, as it writes it, with a marker in every field that is not for svc. */
export const sessionHook = (session_id: string, hook_event_name: string, fields: object = {}): object => ({
  ...{ session_id, hook_event_name },
  ...{ transcript_path: "/MARKER.jsonl", permission_mode: "MARKER", prompt_id: "MARKER", prompt: "MARKER" },
  ...fields,
});

export async function openHookMachine(): Promise<HookMachine> {
  const folder = await temporaryFolder();
  const root = folder.path;
  const spool = join(root, "state/svc/spool");
  const env = programEnvironment({
    ...{ XDG_CONFIG_HOME: join(root, "config"), XDG_STATE_HOME: join(root, "state"), HOME: root },
  });
  const sender = () => {
    try {
      return Number(readFileSync(join(spool, "sender.lock"), "utf8").split(" ")[0]);
    } catch {
      return null;
    }
  };
  const stop = () => {
    const pid = sender();
    try {
      if (pid) process.kill(pid, "SIGKILL");
    } catch {} // it has ended
  };
  return {
    ...{ env, root, spool, sender },
    hook: (input, agent = "claude-code") =>
      callHook(
        [...programCommand(), "hook", agent],
        env,
        root,
        typeof input === "string" ? input : JSON.stringify(input),
      ),
    connect: (server, token, folder = null) =>
      saveConnection(
        {
          ...{ agent: "claude-code", folder, server, project: "atlas", token },
          ...{ branch_pattern: null, connected_at: new Date().toISOString() },
        },
        join(root, "config/svc/connections.json"),
      ),
    waiting: () => listSpool(spool),
    status: () => spoolStatus(spool),
    drained: () => until(() => listSpool(spool).length === 0 && sender() === null, "an empty spool", 120_000),
    ...closable(async () => {
      stop();
      await folder.close();
    }),
  };
}

async function callHook(
  command: string[],
  env: Record<string, string>,
  cwd: string,
  input: string,
): Promise<HookCall> {
  const started = performance.now();
  const child = Bun.spawn(command, { env, cwd, stdio: [new Blob([input]), "pipe", "pipe"] });
  const [output, errors, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, output, errors, ms: performance.now() - started };
}

/** The machine of a user for the tests of hooks: folders of its own, and connections of Claude Code. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { saveConnection } from "../../../cli/agents/connections.ts";
import { listSpool } from "../../../cli/agents/spool/spool.ts";
import { type SpoolStatus, spoolStatus } from "../../../cli/agents/spool/status.ts";
import type { AgentId } from "../../../src/core/agents/agents.ts";
import type { Environment } from "../../../src/core/config.ts";
import { until } from "../conditions.ts";
import { type ProcessTimes, processTimes } from "../process-times.ts";
import { programCommand, programEnvironment } from "../program.ts";
import { type Closable, closable, temporaryFolder } from "../resources.ts";

export interface HookCall extends ProcessTimes {
  /** Null: it was killed. */
  code: number | null;
  output: string;
  errors: string;
}

export interface HookMachine extends Closable {
  /** Environment of programs on this machine. */
  env: Record<string, string>;
  /** Below it: `config/svc`, `state/svc`, and the folder `work` of the sessions. */
  root: string;
  spool: string;
  /** @param killAfterMs kills the hook with SIGKILL, unless it has ended before */
  hook(input: object | string, agent?: string, killAfterMs?: number): Promise<HookCall>;
  connect(server: string, token: string, folder?: string | null, agent?: AgentId): void;
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

/** @param extra environment of its programs */
export async function openHookMachine(extra: Environment = {}): Promise<HookMachine> {
  const folder = await temporaryFolder();
  const root = folder.path;
  const spool = join(root, "state/svc/spool");
  const env = programEnvironment({
    XDG_CONFIG_HOME: join(root, "config"),
    XDG_STATE_HOME: join(root, "state"),
    HOME: root,
    ...extra,
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
    hook: (input, agent = "claude-code", killAfterMs = undefined) => {
      const text = typeof input === "string" ? input : JSON.stringify(input);
      return callHook([...programCommand(), "hook", agent], text, { env, cwd: root, killAfterMs });
    },
    connect: (server, token, folder = null, agent = "claude-code") =>
      saveConnection(
        {
          ...{ agent, folder, server, project: "atlas", token },
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

interface CallOptions {
  env: Record<string, string>;
  cwd: string;
  killAfterMs?: number | undefined;
}

/** Calls a hook as agents do: its input comes through a pipe that is closed behind it. */
async function callHook(command: string[], input: string, options: CallOptions): Promise<HookCall> {
  const { env, cwd, killAfterMs } = options;
  const started = performance.now();
  const child = Bun.spawn(command, { env, cwd, stdio: ["pipe", "pipe", "pipe"] });
  const kill = killAfterMs === undefined ? null : setTimeout(() => child.kill("SIGKILL"), killAfterMs);
  const written = writeInput(child.stdin, input);
  const [output, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    written,
    child.exited,
  ]);
  const times = processTimes(child, started);
  if (kill) clearTimeout(kill);
  return { code: child.exitCode, output, errors, ...times };
}

async function writeInput(stdin: Bun.FileSink, input: string): Promise<void> {
  try {
    stdin.write(input);
    await stdin.end();
  } catch {} // the hook was killed before it read
}

/** Runs the program in a pseudo-terminal, as a person does. */
import type { Environment } from "../../../src/core/config.ts";
import { programCommand, programEnvironment } from "../harness.ts";

export interface TerminalProgram extends AsyncDisposable {
  /** Everything that was printed, with control sequences. */
  output(): string;
  type(keys: string): void;
  resize(columns: number, rows: number): void;
  ended: Promise<number>;
  kill(signal: NodeJS.Signals): void;
}

export function runInTerminal(
  args: string[],
  env: Environment = {},
  { columns = 80, rows = 24 } = {},
): TerminalProgram {
  let text = "";
  const decoder = new TextDecoder();
  const child = Bun.spawn([...programCommand(), ...args], {
    env: programEnvironment({ TERM: "xterm-256color", ...env }),
    terminal: {
      cols: columns,
      rows,
      data: (_, chunk) => void (text += decoder.decode(chunk, { stream: true })),
    },
  });
  const terminal = child.terminal;
  if (!terminal) throw new Error("Bun did not open a pseudo-terminal");
  return {
    output: () => text,
    type: (keys) => void terminal.write(keys),
    resize: (columns, rows) => terminal.resize(columns, rows),
    ended: child.exited,
    kill: (signal) => child.kill(signal),
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.exited;
      terminal.close();
    },
  };
}

/** The terminal of a full-screen command: alternate screen, single keys, and everything restored on exit. */

import { terminalText } from "../output/terminal.ts";

const enter = "\x1b[?1049h\x1b[?25l";
const leave = "\x1b[?25h\x1b[?1049l";

export interface Screen {
  /** Draws lines over the previous ones. */
  draw(lines: string[]): void;
  /** Calls `press` with each key. Ctrl-C arrives as `q`. */
  onKey(press: (key: string) => void): void;
  onResize(resize: () => void): void;
  size(): { width: number; height: number };
}

/**
 * Takes over the terminal. It is restored when the process exits, however that happens: `exit` handlers also
 * run after an uncaught error, and signals become an exit.
 */
export function openScreen(): Screen {
  const { stdin, stdout } = process;
  stdout.write(enter);
  stdin.setRawMode(true);
  stdin.resume();
  process.once("exit", () => {
    stdin.setRawMode(false);
    stdout.write(leave);
  });
  for (const [signal, code] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)
    process.once(signal, () => process.exit(code));
  return {
    // Synchronized output (mode 2026) avoids flicker where the terminal knows it.
    draw(lines) {
      const drawn = lines.map((line) => `${terminalText(line)}\x1b[K`).join("\r\n");
      stdout.write(`\x1b[?2026h\x1b[H${drawn}\x1b[J\x1b[?2026l`);
    },
    onKey(press) {
      stdin.on("data", (chunk: Buffer) => {
        const text = chunk.toString();
        if (text.startsWith("\x1b")) return; // an arrow or a function key
        for (const key of text) press(key === "\x03" || key === "\x04" ? "q" : key.toLowerCase());
      });
    },
    onResize: (resize) => void stdout.on("resize", resize),
    size: () => ({ width: stdout.columns || 80, height: stdout.rows || 24 }),
  };
}

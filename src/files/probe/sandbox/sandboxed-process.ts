/**
 * A sandboxed child process for untrusted files: no environment, no shell, an empty folder, killed when it
 * exceeds its time or memory limit.
 */
import { readFileSync } from "node:fs";
import { unlessAborted } from "../../../core/lib/until-aborted.ts";

const nothing = new Uint8Array();

export interface SandboxOptions {
  /** An empty folder. */
  folder: string;
  env: Record<string, string>;
  /** Working time: counts only while a caller waits for the process. */
  workMs: number;
  /** Total time. */
  totalMs: number;
  /** Anonymous memory. */
  bytesMax: number;
  memoryCheckMs: number;
}

export class SandboxedProcess {
  readonly #process: Bun.Subprocess<"pipe", "pipe", "ignore">;
  readonly #output: ReadableStreamDefaultReader<Uint8Array>;
  #memoryTimer: Timer | undefined;
  #totalTimer: Timer | undefined;
  #workMsLeft = 0;
  #reason: string | null = null;
  #isOverMemory = false;
  readonly #ended = new AbortController();

  /** Throws if the program cannot be started. */
  constructor(
    command: string[],
    readonly options: SandboxOptions,
  ) {
    this.#process = Bun.spawn(command, {
      cwd: options.folder,
      env: options.env,
      stdin: "pipe",
      stdout: "pipe",
      stderr: "ignore",
    });
    this.#output = this.#process.stdout.getReader();
    void this.#process.exited.then(() => this.#ended.abort());
    this.restartTimers();
  }

  /** Resets and starts the time limits. */
  restartTimers(): void {
    const { workMs, totalMs, memoryCheckMs: watchMs } = this.options;
    this.#workMsLeft = workMs;
    this.#memoryTimer = setInterval(() => this.#checkMemory(), watchMs);
    if (totalMs < Number.POSITIVE_INFINITY)
      this.#totalTimer = setTimeout(() => this.#kill("exceeded its total time limit"), totalMs);
    this.#process.ref();
  }

  /** Stops the timers and lets this process exit without waiting for the child. */
  pauseTimers(): void {
    clearInterval(this.#memoryTimer);
    clearTimeout(this.#totalTimer);
    this.#process.unref();
  }

  get pid(): number {
    return this.#process.pid;
  }

  /** Its anonymous memory in bytes; 0 if it has ended or the system does not report it. */
  get memory(): number {
    try {
      const status = readFileSync(`/proc/${this.pid}/status`, "latin1");
      return 1024 * Number(/^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0);
    } catch {
      return 0;
    }
  }

  /** Why it was killed, by this class or by another signal; null while it runs or if it exited by itself. */
  get failureReason(): string | null {
    const { signalCode } = this.#process;
    return this.#reason ?? (signalCode ? `was killed by ${signalCode}` : null);
  }

  /** Whether the machine ended it, by a limit of time or the kernel, so another attempt may succeed. */
  get wasInterrupted(): boolean {
    const { signalCode } = this.#process;
    const isKilled = this.#reason !== null || signalCode === "SIGKILL" || signalCode === "SIGXCPU";
    return isKilled && !this.#isOverMemory;
  }

  /** Whether another process killed it, or the kernel when memory ran out: its file is not at fault. */
  get wasKilledByOthers(): boolean {
    return this.#reason === null && this.#process.signalCode === "SIGKILL";
  }

  /** The result of this work, or null if the process ends before. */
  untilEnded<T>(work: Promise<T>): Promise<T | null> {
    return unlessAborted(work, this.#ended.signal);
  }

  get exitCode(): number | null {
    return this.#process.exitCode;
  }

  /** Returns the next chunk of output, or null once the process has ended. */
  async read(): Promise<Uint8Array | null> {
    const { value } = await this.#timed(this.#output.read());
    if (!value) await this.#timed(this.#process.exited);
    return this.#reason === null && value ? value : null;
  }

  /** Its whole output if it exits with code 0; empty if it fails or writes more than `bytesMax`. */
  async readAll(bytesMax: number): Promise<Uint8Array> {
    const pieces: Uint8Array[] = [];
    let size = 0;
    for (let piece = await this.read(); piece; piece = await this.read()) {
      size += piece.length;
      if (size > bytesMax) return nothing;
      pieces.push(piece);
    }
    return this.exitCode === 0 && this.#reason === null ? Buffer.concat(pieces) : nothing;
  }

  async write(bytes: Uint8Array): Promise<void> {
    try {
      const { stdin } = this.#process;
      // A write to a pipe whose reader has ended rejects too.
      await this.#timed(this.untilEnded(Promise.all([stdin.write(bytes), stdin.flush()])));
    } catch {
      // The process has ended; the next read reports it.
    }
  }

  /** Kills the process and waits until it has ended. */
  async stop(): Promise<void> {
    this.pauseTimers();
    this.#process.kill("SIGKILL");
    await this.#process.exited;
    await this.#output.cancel().catch(() => {}); // the remaining output is not needed
  }

  /** Kills the process and records the reason. */
  #kill(reason: string): void {
    this.#reason ??= reason;
    this.#process.kill("SIGKILL");
  }

  #checkMemory(): void {
    if (this.memory <= this.options.bytesMax) return;
    this.#isOverMemory ||= this.#reason === null;
    this.#kill("exceeded its memory limit");
  }

  async #timed<T>(work: Promise<T>): Promise<T> {
    const startedAt = performance.now();
    const timer = setTimeout(() => this.#kill("exceeded its time limit"), Math.max(0, this.#workMsLeft));
    try {
      return await work;
    } finally {
      clearTimeout(timer);
      this.#workMsLeft -= performance.now() - startedAt;
    }
  }
}

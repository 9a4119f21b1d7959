/**
 * A program that is given uploaded bytes: without environment, in an empty folder, without a shell, killed
 * when its time or its memory is used up.
 */
import { readFileSync } from "node:fs";

const nothing = new Uint8Array();

export interface SandboxOptions {
  /** An empty folder. */
  folder: string;
  /** Time it may work: what passes while somebody waits for it. */
  workMs: number;
  /** Time it may exist. */
  totalMs: number;
  /** Memory that is its own. */
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

  /** Throws where the program cannot be started. */
  constructor(
    command: string[],
    readonly options: SandboxOptions,
  ) {
    this.#process = Bun.spawn(command, {
      cwd: options.folder,
      env: {},
      stdin: "pipe",
      stdout: "pipe",
      stderr: "ignore",
    });
    this.#output = this.#process.stdout.getReader();
    this.restartTimers();
  }

  /** All its time is before it. */
  restartTimers(): void {
    const { workMs, totalMs, memoryCheckMs: watchMs } = this.options;
    this.#workMsLeft = workMs;
    this.#memoryTimer = setInterval(() => this.#checkMemory(), watchMs);
    if (totalMs < Number.POSITIVE_INFINITY)
      this.#totalTimer = setTimeout(() => this.#kill("exceeded its total time limit"), totalMs);
    this.#process.ref();
  }

  /** Nobody waits for it: its time stands still, and it keeps nobody from going. */
  pauseTimers(): void {
    clearInterval(this.#memoryTimer);
    clearTimeout(this.#totalTimer);
    this.#process.unref();
  }

  get pid(): number {
    return this.#process.pid;
  }

  /**
   * What it was killed for, or which signal it died of by itself; null while it runs, and where it ended on
   * its own.
   */
  get failureReason(): string | null {
    const { signalCode } = this.#process;
    return this.#reason ?? (signalCode ? `was killed by ${signalCode}` : null);
  }

  /** Resolves once it is gone, for whatever reason. */
  get exited(): Promise<null> {
    return this.#process.exited.then(() => null);
  }

  get exitCode(): number | null {
    return this.#process.exitCode;
  }

  /** The next piece of its output, or null once there is none and it is gone. */
  async read(): Promise<Uint8Array | null> {
    const { value } = await this.#timed(this.#output.read());
    if (!value) await this.#timed(this.#process.exited);
    return this.#reason === null && value ? value : null;
  }

  /** All of its output, once it ended well; nothing where it did not, or said more than `bytesMax`. */
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
      this.#process.stdin.write(bytes);
      await this.#timed(Promise.race([this.#process.stdin.flush(), this.#process.exited]));
    } catch {
      // A program that is gone takes nothing; the next read says so.
    }
  }

  /** Ends it, whatever it does. It is gone when this resolves. */
  async stop(): Promise<void> {
    this.pauseTimers();
    this.#process.kill("SIGKILL");
    await this.#process.exited;
    await this.#output.cancel().catch(() => {}); // what it said last is nobody's concern
  }

  /** Ends it for a reason. */
  #kill(reason: string): void {
    this.#reason ??= reason;
    this.#process.kill("SIGKILL");
  }

  #checkMemory(): void {
    if (memoryOf(this.pid) > this.options.bytesMax) this.#kill("exceeded its memory limit");
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

/** Memory that is a process's own, in bytes; 0 where the system does not tell or the process is gone. */
function memoryOf(pid: number): number {
  try {
    return (
      1024 * Number(/^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1] ?? 0)
    );
  } catch {
    return 0;
  }
}

/**
 * A pool of child processes that inspect files. Starting one costs more than sniffing a file, so a child is
 * reused unless it ran a parser, which a malicious file could have exploited.
 */

import { badRequest, type Problem, unavailable } from "../../problem.ts";
import { type Inspection, isZip, unknownType, withoutMetadata } from "../kind.ts";
import { limits } from "../limits.ts";
import type { FileSource } from "../port.ts";
import { readInspection } from "../received.ts";

import { ChildConnection } from "./parent-protocol.ts";
import type { RunningProgram, Start } from "./process-runner.ts";
import { createTempFolder, type TempFolder } from "./temp-folder.ts";

interface Inspector extends RunningProgram {
  folder: TempFolder;
  /** Files inspected so far. */
  count: number;
  /** Ends the child when it has been idle for too long. */
  idleTimer?: Timer;
}

interface Result {
  found: Inspection | null;
  /** Why a zip file is refused; null if the inspection finished. */
  failure: Problem | null;
}

const interrupted = () =>
  unavailable("The server could not check this zip file in time. Try again in a moment.");
const zipFailed = () =>
  badRequest("The zip file cannot be checked: it is damaged, or takes more memory than allowed.");

export class InspectorPool {
  /** Last in, first out, so that surplus children time out. */
  readonly #idle: Inspector[] = [];
  constructor(
    readonly command: string[],
    readonly start: Start,
  ) {}

  /**
   * Returns what is known of the file, at least that its type is unknown.
   * @throws {Problem} 503 or 400 for a zip file that was not checked to the end: it may be a bundle
   */
  async inspect(source: FileSource): Promise<Inspection> {
    const idle = this.#idle.pop();
    // An idle child may have died. A new one tells whether the file is at fault.
    let result = idle ? await this.#inspectWith(idle, source) : null;
    if (!result?.found) {
      const fresh = await this.#startInspector();
      result = fresh ? await this.#inspectWith(fresh, source) : { found: null, failure: interrupted() };
    }
    if (result.failure && isZip(source.head ?? (await signatureOf(source)))) throw result.failure;
    return result.found ?? withoutMetadata(unknownType);
  }

  async #startInspector(): Promise<Inspector | null> {
    const folder = await createTempFolder();
    const running = await this.start(this.command, folder.path, "inspect");
    if (!running) await folder.remove();
    return running && { ...running, folder, count: 0 };
  }

  async #inspectWith(inspector: Inspector, source: FileSource): Promise<Result> {
    const isReused = inspector.count++ > 0;
    clearTimeout(inspector.idleTimer);
    if (isReused) inspector.program.restartTimers();
    const child = new ChildConnection(
      inspector.program,
      source,
      { work: "inspect", size: source.size, mime: unknownType.mime },
      isReused,
    );
    let [found, isSilent, isReusable]: [Inspection | null, boolean, boolean] = [null, false, false];
    try {
      let frame = await child.next();
      // A result reported before any parsing is trusted.
      isReusable = frame?.head.isAll === true;
      for (; frame && frame.head.say !== "done"; frame = await child.next())
        found = readInspection(frame.head.found) ?? found;
      isSilent = frame === null;
      if (!isSilent) return { found, failure: null };
      const isFileAtFault = child.hasBegun && !inspector.program.wasInterrupted;
      return { found, failure: isFileAtFault ? zipFailed() : interrupted() };
    } finally {
      if (isReusable && !isSilent && inspector.count < limits.readerFiles) this.#release(inspector);
      else await this.#end(inspector, isSilent);
    }
  }

  /** Returns a child to the pool. It needed its folder only to start. */
  #release(inspector: Inspector): void {
    inspector.program.pauseTimers();
    inspector.idleTimer = setTimeout(() => {
      this.#idle.splice(this.#idle.indexOf(inspector), 1);
      this.#end(inspector, false);
    }, limits.readerMs).unref();
    this.#idle.push(inspector);
    inspector.folder.remove().catch(() => {}); // cleanup deletes it later
  }

  async #end(inspector: Inspector, isSilent: boolean): Promise<void> {
    await inspector.end(isSilent);
    await inspector.folder.remove();
  }
}

/** The first bytes of a file; nothing if its store does not deliver them in time. */
async function signatureOf(source: FileSource): Promise<Uint8Array> {
  const late = Promise.withResolvers<Uint8Array>();
  const timer = setTimeout(() => late.resolve(new Uint8Array()), limits.signatureMs);
  const read = source.read(0, 4);
  read.catch(() => {}); // it may fail after the timeout
  return Promise.race([read, late.promise]).finally(() => clearTimeout(timer));
}

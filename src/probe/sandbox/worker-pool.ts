/**
 * A pool of child processes that inspect files. Starting one costs more than sniffing a file, so a child is
 * reused unless it ran a parser, which a malicious file could have exploited.
 */

import { type Inspection, readInspection, unknownType, withoutMetadata } from "../kind.ts";
import { limits } from "../limits.ts";
import type { FileSource } from "../port.ts";

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

export class InspectorPool {
  /** Last in, first out, so that surplus children time out. */
  readonly #idle: Inspector[] = [];
  constructor(
    readonly command: string[],
    readonly start: Start,
  ) {}

  async inspect(source: FileSource): Promise<Inspection> {
    const idle = this.#idle.pop();
    // An idle child may have died. A new one tells whether the file is at fault.
    const found = idle && (await this.#inspectWith(idle, source));
    if (found) return found;
    const fresh = await this.#startInspector();
    return (fresh && (await this.#inspectWith(fresh, source))) ?? withoutMetadata(unknownType);
  }

  async #startInspector(): Promise<Inspector | null> {
    const folder = await createTempFolder();
    const running = await this.start(this.command, folder.path, "inspect");
    if (!running) await folder.remove();
    return running && { ...running, folder, count: 0 };
  }

  /** Null if the child returned nothing. */
  async #inspectWith(inspector: Inspector, source: FileSource): Promise<Inspection | null> {
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
      return found;
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

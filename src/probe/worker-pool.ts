/**
 * Children that say what a file is. To start one costs more than all that it does for a text; so one that has
 * taken nothing apart is asked about the next file as well, since there is nothing that it could have caught.
 */

import { type Inspection, readInspection, unknownType, withoutMetadata } from "./kind.ts";
import { limits } from "./limits.ts";
import { ChildConnection } from "./parent-protocol.ts";
import type { RunningProgram, Start } from "./process-runner.ts";
import type { FileSource } from "./source.ts";
import { createTempFolder, type TempFolder } from "./temp-folder.ts";

interface Inspector extends RunningProgram {
  folder: TempFolder;
  /** Files it was asked about. */
  count: number;
  /** Ends its waiting. */
  idleTimer?: Timer;
}

export class InspectorPool {
  /** Who came last goes first, so that the others find their end. */
  readonly #idle: Inspector[] = [];
  constructor(
    readonly command: string[],
    readonly start: Start,
  ) {}

  async inspect(source: FileSource): Promise<Inspection> {
    const idle = this.#idle.pop();
    // It may have died while it waited: a fresh one says whether it was the file.
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

  /** Null where it says nothing at all. */
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
      // What it says before it looks further is true, whatever it meets there.
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

  /** Its folder was for its start. */
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

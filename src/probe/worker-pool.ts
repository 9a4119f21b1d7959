/**
 * Children that say what a file is. To start one costs more than all that it does for a text; so one that has
 * taken nothing apart is asked about the next file as well, since there is nothing that it could have caught.
 */

import { type Inspection, readInspection, unknown, withoutMeasures } from "./kind.ts";
import { limits } from "./limits.ts";
import { Conversation } from "./parent-protocol.ts";
import type { Running, Start } from "./process-runner.ts";
import type { Source } from "./source.ts";
import { type Folder, freshFolder } from "./temp-folder.ts";

interface Reader extends Running {
  folder: Folder;
  /** Files it was asked about. */
  count: number;
  /** Ends its waiting. */
  rest?: Timer;
}

export class Readers {
  /** Who came last goes first, so that the others find their end. */
  readonly #waiting: Reader[] = [];
  constructor(
    readonly command: string[],
    readonly start: Start,
  ) {}

  async inspect(source: Source): Promise<Inspection> {
    const kept = this.#waiting.pop();
    // It may have died while it waited: a fresh one says whether it was the file.
    const found = kept && (await this.#ask(kept, source));
    if (found) return found;
    const fresh = await this.#begin();
    return (fresh && (await this.#ask(fresh, source))) ?? withoutMeasures(unknown);
  }

  async #begin(): Promise<Reader | null> {
    const folder = await freshFolder();
    const running = await this.start(this.command, folder.path, "inspect");
    if (!running) await folder.remove();
    return running && { ...running, folder, count: 0 };
  }

  /** Null where it says nothing at all. */
  async #ask(reader: Reader, source: Source): Promise<Inspection | null> {
    const isKept = reader.count++ > 0;
    clearTimeout(reader.rest);
    if (isKept) reader.program.renew();
    const child = new Conversation(
      reader.program,
      source,
      { work: "inspect", size: source.size, mime: unknown.mime },
      isKept,
    );
    let [found, isSilent, isFree]: [Inspection | null, boolean, boolean] = [null, false, false];
    try {
      let frame = await child.next();
      // What it says before it looks further is true, whatever it meets there.
      isFree = frame?.head.isAll === true;
      for (; frame && frame.head.say !== "done"; frame = await child.next())
        found = readInspection(frame.head.found) ?? found;
      isSilent = frame === null;
      return found;
    } finally {
      if (isFree && !isSilent && reader.count < limits.readerFiles) this.#keep(reader);
      else await this.#end(reader, isSilent);
    }
  }

  /** Its folder was for its start. */
  #keep(reader: Reader): void {
    reader.program.rest();
    reader.rest = setTimeout(() => {
      this.#waiting.splice(this.#waiting.indexOf(reader), 1);
      this.#end(reader, false);
    }, limits.readerMs).unref();
    this.#waiting.push(reader);
    reader.folder.remove().catch(() => {}); // what stays is swept
  }

  async #end(reader: Reader, isSilent: boolean): Promise<void> {
    await reader.end(isSilent);
    await reader.folder.remove();
  }
}

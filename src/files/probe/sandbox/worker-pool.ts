/**
 * A pool of child processes that inspect files. Starting one costs more than reading a small image, so a
 * child is reused, but no file may change what is found in a file of another owner. A child that only sniffed
 * content takes any next file. Once it ran a parser, which a malicious file could have exploited, it takes a
 * limited number of files, all of the same owner, and none after a failure. A new child repeats the failed
 * inspection, also one during which another process killed the child.
 */

import { availableParallelism } from "node:os";
import { badRequest, type Problem, unavailable } from "../../../core/problem.ts";
import { type Inspection, isZip, unknownType, withoutMetadata } from "../kind.ts";
import { limits } from "../limits.ts";
import { type FileSource, type InspectionWithThumbnail, type Looks, noLooks } from "../port.ts";
import { readInspection, readLooks, readThumbnail } from "../received.ts";
import { headOf } from "../source.ts";
import { ChildConnection } from "./parent-protocol.ts";
import type { RunningProgram, Start } from "./process-runner.ts";
import { createTempFolder, type TempFolder } from "./temp-folder.ts";

/** New children that are tried, if others kill them. */
const freshAttempts = 3;

interface Inspector extends RunningProgram {
  folder: TempFolder;
  fileCount: number;
  /** Files that a parser has read. */
  parsedCount: number;
  /** Whose files these were; null if there were none. */
  owner: string | null;
  /** Ends the child when it has been idle for too long. */
  idleTimer?: Timer;
}

interface Result {
  found: Inspection | null;
  thumbnail: Uint8Array | null;
  looks: Looks;
  /** Why a zip file is refused; null if the inspection finished. */
  failure: Problem | null;
  /** Whether neither a file before this one nor another process can have changed the result. */
  isFinal: boolean;
}

const interrupted = () =>
  unavailable("The server could not check this zip file in time. Try again in a moment.");
const notStarted = (): Result => ({
  found: null,
  thumbnail: null,
  looks: noLooks,
  failure: interrupted(),
  isFinal: false,
});
const zipFailed = () =>
  badRequest("The zip file cannot be checked: it is damaged, or takes more memory than allowed.");

export class InspectorPool {
  /** Last in, first out, so that surplus children time out. */
  readonly #idle: Inspector[] = [];
  constructor(
    readonly command: string[],
    readonly start: Start,
    /** How long a child waits for the next file. */
    readonly idleMs: number,
  ) {}

  /**
   * Returns what is known of the file, at least that its type is unknown.
   * @throws {Problem} 503 or 400 for a zip file that was not checked to the end: it may be a bundle
   */
  async inspect(source: FileSource): Promise<InspectionWithThumbnail> {
    const idle = this.#takeIdle(source.owner);
    let result = idle ? await this.#inspectWith(idle, source) : notStarted();
    for (let attempt = 0; !result.isFinal && attempt < freshAttempts; attempt++) {
      const fresh = await this.#startInspector();
      result = fresh ? await this.#inspectWith(fresh, source) : { ...notStarted(), isFinal: true };
    }
    if (result.failure && isZip(source.head ?? (await headOf(source)) ?? new Uint8Array()))
      throw result.failure;
    const { found, thumbnail, looks } = result;
    return { inspection: found ?? withoutMetadata(unknownType), thumbnail, ...looks };
  }

  #takeIdle(owner: string | undefined): Inspector | undefined {
    const index = this.#idle.findLastIndex((one) => one.owner === null || one.owner === owner);
    return index < 0 ? undefined : this.#idle.splice(index, 1)[0];
  }

  async #startInspector(): Promise<Inspector | null> {
    const folder = await createTempFolder();
    const running = await this.start(this.command, folder.path, "inspect");
    if (!running) await folder.remove();
    return running && { ...running, folder, fileCount: 0, parsedCount: 0, owner: null };
  }

  async #inspectWith(inspector: Inspector, source: FileSource): Promise<Result> {
    const isReused = inspector.fileCount++ > 0;
    const hadParsed = inspector.parsedCount > 0;
    clearTimeout(inspector.idleTimer);
    if (isReused) inspector.program.restartTimers();
    const child = new ChildConnection(
      inspector.program,
      source,
      { work: "inspect", size: source.size, mime: unknownType.mime },
      isReused,
    );
    let found: Inspection | null = null;
    let [isSilent, isReusable] = [false, false];
    try {
      let frame = await child.next();
      // A child reports the type before it runs a parser.
      const hasParsed = frame?.head.say !== "done";
      for (; frame && frame.head.say !== "done"; frame = await child.next())
        found = readInspection(frame.head.found) ?? found;
      isSilent = frame === null;
      found = readInspection(frame?.head.found) ?? found;
      if (hasParsed) {
        inspector.parsedCount++;
        inspector.owner = source.owner ?? null;
      }
      isReusable = frame?.head.isReusable === true && (!hasParsed || source.owner !== undefined);
      const isFileAtFault = isSilent && child.hasBegun && !inspector.program.wasInterrupted;
      return {
        found,
        thumbnail: frame && readThumbnail(frame.body),
        looks: readLooks(frame?.head ?? null),
        failure: isSilent ? (isFileAtFault ? zipFailed() : interrupted()) : null,
        isFinal: isReused
          ? !isSilent && (isReusable || !hadParsed)
          : !(isSilent && inspector.program.wasKilledByOthers),
      };
    } finally {
      if (isReusable && canContinue(inspector)) this.#release(inspector);
      else await this.#end(inspector, isSilent);
    }
  }

  /** Returns a child to the pool. It needed its folder only to start. */
  #release(inspector: Inspector): void {
    inspector.program.pauseTimers();
    inspector.idleTimer = setTimeout(() => {
      this.#idle.splice(this.#idle.indexOf(inspector), 1);
      this.#end(inspector, false);
    }, this.idleMs).unref();
    this.#idle.push(inspector);
    if (inspector.fileCount === 1) inspector.folder.remove().catch(() => {}); // cleanup deletes it later
    const surplus = this.#idle.length > availableParallelism() && this.#idle.shift();
    if (surplus) this.#end(surplus, false);
  }

  async #end(inspector: Inspector, isSilent: boolean): Promise<void> {
    clearTimeout(inspector.idleTimer);
    await inspector.end(isSilent);
    await inspector.folder.remove();
  }
}

const canContinue = ({ program, fileCount, parsedCount }: Inspector): boolean =>
  fileCount < limits.childFiles && parsedCount < limits.parsedFiles && program.memory <= limits.idleBytes;

/** Compares a file with older ones: in one child, or by the stills that helper programs make of them. */
import { canParse } from "../images/image.ts";
import type { Inspection } from "../kind.ts";
import { limits } from "../limits.ts";
import type { ComparedFile, FileSource, Moment, OlderFile, Probe } from "../port.ts";
import { readFileMatch } from "../received.ts";
import type { Job } from "../sandbox/child.ts";
import { ChildConnection } from "../sandbox/parent-protocol.ts";
import type { ImageTools } from "../sandbox/process-runner.ts";
import type { Queue } from "../sandbox/queue.ts";
import { withTempFolder } from "../sandbox/temp-folder.ts";
import { bytesSource, joinedSource } from "../source.ts";
import { svgType } from "../text-types.ts";
import { stillOf } from "../thumbnails/thumbnail.ts";
import { capturePage } from "../web-page/screenshot.ts";
import { matchRegions, type Viewport } from "./match-regions.ts";
import { matchSounds } from "./match-sounds.ts";
import { type CompareStills, matchStills } from "./match-stills.ts";
import type { FileMatch } from "./schema.ts";

/** Of stills that are compared: the longer side, in pixels. */
const comparedSide = 1280;

interface ShownFile extends ComparedFile {
  /** By default as it states. */
  orientation?: number | undefined;
}

type IsLast = (found: FileMatch | null, at: number) => boolean;

export function openFileMatching(tools: ImageTools, queue: Queue): Probe["match"] {
  const { run, command } = tools;

  const matchInChild = (
    { source, mime, name = "", orientation }: ShownFile,
    older: readonly (ShownFile & Pick<OlderFile, "targets">)[],
    isLast: IsLast,
  ): Promise<(FileMatch | null)[]> =>
    queue.run(source.owner, async () => {
      const found: (FileMatch | null)[] = [];
      const all = joinedSource(...older.map((one) => one.source), source);
      const before = older.map(({ source: { size }, found: _, ...one }) => ({ ...one, size }));
      const job: Job = { work: "match", size: all.size, mime, name, before, orientation };
      await withTempFolder((folder) =>
        run(command, folder, "match", async (program) => {
          const child = new ChildConnection(program, all, job);
          for (const [at, { targets }] of older.entries()) {
            const frame = await child.next();
            if (frame === null) return null;
            found.push(readFileMatch(frame.head, targets.length));
            if (isLast(found[at] ?? null, at)) break;
          }
          return found;
        }),
      );
      return found;
    });

  const capture = (source: FileSource, found: Inspection, moment: Moment) =>
    queue.run(source.owner, () => stillOf(tools, source, found, { side: comparedSide, ...moment }));

  /** An image that svc does not decode is compared as a still. */
  async function asDecodable<File extends ComparedFile>(file: File): Promise<File & ShownFile> {
    const { source, found } = file;
    const isImage = found?.kind === "image" && !canParse(found.mime) && found.mime !== svgType;
    const still = isImage ? await capture(source, found, { t_ms: null, page: null }) : null;
    return still
      ? { ...file, source: still, mime: still.job.mime, orientation: still.job.orientation }
      : file;
  }

  const compare: CompareStills = async (one, other, targets) =>
    (await matchInChild(asPng(other), [{ ...asPng(one), targets }], () => true))[0] ?? null;

  async function capturedPage(source: FileSource, { w: width, h: height }: Viewport) {
    const read = async (path: string) =>
      path === "" ? { bytes: await source.read(0, source.size), mime: "text/html" } : null;
    const screen = { width, height, deviceScaleFactor: 1, settleMs: 200, isTransparent: false };
    const png = await queue.run(source.owner, () => capturePage(tools, { index: "", read }, screen));
    return png && bytesSource(png);
  }

  const withRegions = (after: ComparedFile, older: readonly OlderFile[], found: (FileMatch | null)[]) =>
    Promise.all(
      found.map((match, at) => {
        const before = older[at];
        if (!match || !before || !isPage(before)) return match;
        const marked = { found: match, targets: before.targets };
        return matchRegions(before.source, after.source, marked, { capture: capturedPage, compare });
      }),
    );

  return async (after, older, isLast = () => false) => {
    const { found: newer } = after;
    if (newer?.kind === "audio")
      return queue.run(after.source.owner, () =>
        Promise.all(older.map((before) => matchSounds(tools, before, after, before.targets))),
      );
    if (newer?.kind !== "video" && newer?.kind !== "pdf") {
      const shown = await asDecodable(after);
      const found = await matchInChild(shown, await Promise.all(older.map(asDecodable)), isLast);
      return isPage(after) ? withRegions(after, older, found) : found;
    }
    const matches: (FileMatch | null)[] = [];
    for (const [at, { source, found, targets }] of older.entries()) {
      const before = found && { source, found };
      matches.push(
        before ? await matchStills(before, { ...after, found: newer }, targets, { capture, compare }) : null,
      );
      if (isLast(matches[at] ?? null, at)) break;
    }
    return matches;
  };
}

/** A page in one file: what a bundle shows is not compared. */
const isPage = ({ mime, source }: ComparedFile): boolean =>
  mime === "text/html" && source.size <= limits.pageBytes;

const asPng = (source: FileSource): ShownFile => ({ source, mime: "image/png" });

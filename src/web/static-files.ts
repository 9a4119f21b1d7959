/**
 * Style sheet, icon, and scripts of the pages: embedded as text and served under one version. The scripts are
 * transpiled on first use.
 */
import pixelmatch from "pixelmatch/index.js" with { type: "text" };
import { Cache } from "../lib/cache.ts";
import { gzipFor } from "../lib/http/compression.ts";
import { readerFiles, readerVersion } from "./assets/pdf-reader.ts";
import icon from "./icons/icon.svg" with { type: "text" };
import { type IconName, iconsWithCount } from "./icons/icon-with-count.ts";
// @ts-expect-error a browser script, embedded as text
import annotate from "./islands/annotate/annotate.ts" with { type: "text" };
// @ts-expect-error the same
import annotationForms from "./islands/annotate/annotation-forms.ts" with { type: "text" };
// @ts-expect-error the same
import drawing from "./islands/annotate/drawing.ts" with { type: "text" };
// @ts-expect-error the same
import frameRate from "./islands/annotate/frame-rate.ts" with { type: "text" };
// @ts-expect-error the same
import marking from "./islands/annotate/marking.ts" with { type: "text" };
// @ts-expect-error the same
import quotes from "./islands/annotate/quotes.ts" with { type: "text" };
// @ts-expect-error the same
import replaceMarks from "./islands/annotate/replace-marks.ts" with { type: "text" };
// @ts-expect-error the same
import shownPins from "./islands/annotate/shown-pins.ts" with { type: "text" };
// @ts-expect-error the same
import simplifyPath from "./islands/annotate/simplify-path.ts" with { type: "text" };
// @ts-expect-error the same
import surfaces from "./islands/annotate/surfaces.ts" with { type: "text" };
// @ts-expect-error the same
import changedRegions from "./islands/compare/changed-regions.ts" with { type: "text" };
// @ts-expect-error the same
import changes from "./islands/compare/changes.ts" with { type: "text" };
// @ts-expect-error the same
import clock from "./islands/compare/clock.ts" with { type: "text" };
// @ts-expect-error the same
import clockDrift from "./islands/compare/clock-drift.ts" with { type: "text" };
// @ts-expect-error the same
import compare from "./islands/compare/compare.ts" with { type: "text" };
// @ts-expect-error the same
import differenceWorker from "./islands/compare/difference-worker.ts" with { type: "text" };
// @ts-expect-error the same
import equalScale from "./islands/compare/equal-scale.ts" with { type: "text" };
// @ts-expect-error the same
import equalWidth from "./islands/compare/equal-width.ts" with { type: "text" };
// @ts-expect-error the same
import flicker from "./islands/compare/flicker.ts" with { type: "text" };
// @ts-expect-error the same
import sizes from "./islands/compare/sizes.ts" with { type: "text" };
// @ts-expect-error the same
import slider from "./islands/compare/slider.ts" with { type: "text" };
// @ts-expect-error the same
import inbox from "./islands/inbox/inbox.ts" with { type: "text" };
// @ts-expect-error the same
import inboxCount from "./islands/inbox/inbox-count.ts" with { type: "text" };
// @ts-expect-error the same
import notifications from "./islands/inbox/notifications.ts" with { type: "text" };
// @ts-expect-error the same
import notify from "./islands/inbox/notify.ts" with { type: "text" };
// @ts-expect-error the same
import feed from "./islands/live/feed.ts" with { type: "text" };
// @ts-expect-error the same
import feedFilters from "./islands/live/feed-filters.ts" with { type: "text" };
// @ts-expect-error the same
import liveSections from "./islands/live/live-sections.ts" with { type: "text" };
// @ts-expect-error the same
import liveStream from "./islands/live/live-stream.ts" with { type: "text" };
// @ts-expect-error the same
import project from "./islands/live/project.ts" with { type: "text" };
// @ts-expect-error the same
import refresh from "./islands/live/refresh.ts" with { type: "text" };
// @ts-expect-error the same
import run from "./islands/live/run.ts" with { type: "text" };
// @ts-expect-error the same
import today from "./islands/live/today.ts" with { type: "text" };
// @ts-expect-error the same
import filmstrip from "./islands/media/filmstrip.ts" with { type: "text" };
// @ts-expect-error the same
import pageWidths from "./islands/media/page-widths.ts" with { type: "text" };
// @ts-expect-error the same
import pdfPages from "./islands/media/pdf-pages.ts" with { type: "text" };
// @ts-expect-error the same
import playTime from "./islands/media/play-time.ts" with { type: "text" };
// @ts-expect-error the same
import players from "./islands/media/players.ts" with { type: "text" };
// @ts-expect-error the same
import tools from "./islands/media/tools.ts" with { type: "text" };
// @ts-expect-error the same
import track from "./islands/media/track.ts" with { type: "text" };
// @ts-expect-error the same
import waveform from "./islands/media/waveform.ts" with { type: "text" };
// @ts-expect-error the same
import zoom from "./islands/media/zoom.ts" with { type: "text" };
// @ts-expect-error the same
import checklist from "./islands/page/checklist.ts" with { type: "text" };
// @ts-expect-error the same
import contactSheet from "./islands/page/contact-sheet.ts" with { type: "text" };
// @ts-expect-error the same
import copy from "./islands/page/copy.ts" with { type: "text" };
// @ts-expect-error the same
import gridKeys from "./islands/page/grid-keys.ts" with { type: "text" };
// @ts-expect-error the same
import itemKeys from "./islands/page/item-keys.ts" with { type: "text" };
// @ts-expect-error the same
import keys from "./islands/page/keys.ts" with { type: "text" };
// @ts-expect-error the same
import parts from "./islands/page/parts.ts" with { type: "text" };
// @ts-expect-error the same
import search from "./islands/page/search.ts" with { type: "text" };
// @ts-expect-error the same
import session from "./islands/page/session.ts" with { type: "text" };
// @ts-expect-error the same
import tab from "./islands/page/tab.ts" with { type: "text" };
// @ts-expect-error the same
import times from "./islands/page/times.ts" with { type: "text" };
// @ts-expect-error the same
import bulk from "./islands/review/bulk.ts" with { type: "text" };
// @ts-expect-error the same
import desk from "./islands/review/desk.ts" with { type: "text" };
// @ts-expect-error the same
import pdf from "./islands/review/pdf.ts" with { type: "text" };
// @ts-expect-error the same
import pendingReviews from "./islands/review/pending-reviews.ts" with { type: "text" };
// @ts-expect-error the same
import reviewQueue from "./islands/review/review-queue.ts" with { type: "text" };
// @ts-expect-error the same
import variantSet from "./islands/review/variant-set.ts" with { type: "text" };
// @ts-expect-error the same
import viewer from "./islands/review/viewer.ts" with { type: "text" };
// @ts-expect-error the same
import finalize from "./islands/upload/finalize.ts" with { type: "text" };
// @ts-expect-error the same
import resumable from "./islands/upload/resumable.ts" with { type: "text" };
// @ts-expect-error the same
import unfinished from "./islands/upload/unfinished.ts" with { type: "text" };
// @ts-expect-error the same
import upload from "./islands/upload/upload.ts" with { type: "text" };
import { styleSheet } from "./style/style-sheet.ts";

/** The browser loads each as a module, by its name here plus `.js`: they are served side by side. */
const islands = {
  annotate,
  "annotation-forms": annotationForms,
  drawing,
  "frame-rate": frameRate,
  marking,
  quotes,
  "replace-marks": replaceMarks,
  "shown-pins": shownPins,
  "simplify-path": simplifyPath,
  surfaces,
  bulk,
  "changed-regions": changedRegions,
  changes,
  clock,
  "clock-drift": clockDrift,
  compare,
  "difference-worker": differenceWorker,
  "equal-scale": equalScale,
  "equal-width": equalWidth,
  flicker,
  sizes,
  slider,
  checklist,
  "contact-sheet": contactSheet,
  copy,
  desk,
  feed,
  "feed-filters": feedFilters,
  filmstrip,
  finalize,
  inbox,
  "inbox-count": inboxCount,
  "grid-keys": gridKeys,
  "item-keys": itemKeys,
  keys,
  "live-sections": liveSections,
  "live-stream": liveStream,
  notifications,
  notify,
  "page-widths": pageWidths,
  parts,
  pdf,
  "pdf-pages": pdfPages,
  players,
  "play-time": playTime,
  "pending-reviews": pendingReviews,
  project,
  refresh,
  "review-queue": reviewQueue,
  run,
  search,
  session,
  tab,
  times,
  today,
  tools,
  track,
  resumable,
  unfinished,
  upload,
  "variant-set": variantSet,
  viewer,
  zoom,
  waveform,
};
export type ScriptName = `${keyof typeof islands}.js`;
export type StaticFileName = ScriptName | "style.css" | IconName;

const mimeTypes: Record<string, string> = {
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
  js: "text/javascript; charset=utf-8",
  mjs: "text/javascript; charset=utf-8",
};

let texts: Map<string, string> | undefined;
let version = "";
/** Response bodies by file name: the same bytes each time, so that they are compressed once. */
const bodies = new Cache<string, Uint8Array<ArrayBuffer>>({ max: 100 });

/** A script as it is served, beside those that it imports from other folders and packages. */
const served = (script: string): string =>
  script
    .replace(/(from|import)"\.\.\/[a-z]+\//g, '$1"./')
    .replace('from"pixelmatch"', 'from"./pixelmatch.js"');

function loadTexts(): Map<string, string> {
  if (texts) return texts;
  const transpiler = new Bun.Transpiler({ loader: "ts", target: "browser", minifyWhitespace: true });
  texts = new Map([
    ["style.css", styleSheet],
    ["icon.svg", icon],
    ["pixelmatch.js", pixelmatch as unknown as string],
    ...iconsWithCount(icon),
    ...Object.entries(islands).map(
      ([name, text]) => [`${name}.js`, served(transpiler.transformSync(text as unknown as string))] as const,
    ),
  ]);
  version = Bun.hash([...texts.values(), readerVersion].join("\n"))
    .toString(36)
    .slice(0, 10);
  return texts;
}

const prefix = "/site/";

/**
 * The URL of a static file. Its version changes when any file does, so that browsers may cache each forever
 * and never mix files of two versions.
 */
export function staticUrl(name: StaticFileName): string {
  loadTexts();
  return `${prefix}${version}/${name}`;
}

async function loadBody(name: string): Promise<Uint8Array<ArrayBuffer> | null> {
  const loaded = bodies.get(name);
  if (loaded) return loaded;
  const text = loadTexts().get(name);
  const file = Object.hasOwn(readerFiles, name) ? readerFiles[name] : undefined;
  if (text === undefined && file === undefined) return null;
  const body = text === undefined ? await Bun.file(file as string).bytes() : new TextEncoder().encode(text);
  bodies.set(name, body);
  return body;
}

export async function staticFileResponse(path: string, request: Request): Promise<Response | null> {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const found = await loadBody(name);
  if (!found) return null;
  const { body, encoding } = gzipFor(request, found);
  const headers = {
    "content-type": mimeTypes[name.split(".").at(-1) as string] as string,
    "cache-control": "public, max-age=31536000, immutable",
    vary: "Accept-Encoding",
    "x-content-type-options": "nosniff",
    // A worker has the policy of its own script: the PDF worker may load scripts and connect to nothing.
    "content-security-policy": "default-src 'none'; script-src 'self'",
    ...encoding,
  };
  return new Response(body, { headers });
}

/**
 * Draws everything that the demo shows and packs it: `bun test/demo/media/main.ts`, with ffmpeg, pdftoppm and
 * a Chromium on this machine.
 *
 * Rows say of the bytes what the library would have said: the probe looks at each of them, and makes the
 * thumbnails.
 */
import { join } from "node:path";
import { chromium } from "playwright-core";
import { isBundle } from "../../../src/files/probe/kind.ts";
import { openProbe } from "../../../src/files/probe/probe.ts";
import { bytesSource } from "../../../src/files/probe/source.ts";
import { browserPath } from "../../support/browser/browser.ts";
import { repositoryRoot } from "../../support/repository.ts";
import { datePicker, deckSun, film } from "./film.ts";
import { berthCard, berthMap, deskNight, offerMail } from "./harbor.ts";
import { holdToStop, offlinePlan, weeklyReport } from "./pages.ts";
import { png, type Sheet, webp } from "./paint.ts";
import { arrivals, harmonics, logBook } from "./papers.ts";
import { drift, gap } from "./silt.ts";
import { anchorAlarm, spokenReport } from "./sound.ts";
import { clubBooking, dayOfGauges, depthsByBerth, sampleTrack } from "./tables.ts";
import { deckButtons, syncBar, widget } from "./tern.ts";

const root = repositoryRoot;
const folder = join(root, "db/demo/media");

const browser = await chromium.launch({
  executablePath: process.env.SVC_TEST_BROWSER ?? (browserPath as string),
  args: ["--no-sandbox"],
});
const asPng = (sheet: Sheet) => () => png(browser, sheet);
const asWebp = (sheet: Sheet) => () => webp(browser, sheet);

type Drawn = Uint8Array | string;
/** Of each file its versions, oldest first. */
const media: Record<string, (() => Drawn | Promise<Drawn>)[]> = {
  "harbor/berth-map-320.png": [asPng(berthMap(1)), asPng(berthMap(2)), asPng(berthMap(3))],
  "harbor/berth-card.webp": [asWebp(berthCard())],
  "harbor/date-picker.mp4": [() => film(browser, datePicker(1)), () => film(browser, datePicker(2))],
  "harbor/arrivals.pdf": [() => arrivals(1), () => arrivals(2)],
  "harbor/offer-mail.png": [asPng(offerMail())],
  "harbor/club.csv": [clubBooking],
  "harbor/desk-night.png": [asPng(deskNight(1)), asPng(deskNight(2))],
  "harbor/offline-plan.zip": [offlinePlan],
  "silt/gap.png": [asPng(gap())],
  "silt/harmonics.pdf": [harmonics],
  "silt/drift.png": [asPng(drift())],
  "silt/day.parquet": [dayOfGauges],
  "silt/report.mp3": [spokenReport],
  "silt/report.html": [() => weeklyReport(1), () => weeklyReport(2)],
  "silt/depths.parquet": [() => depthsByBerth(1), () => depthsByBerth(2)],
  "tern/deck-sun.mp4": [() => film(browser, deckSun())],
  "tern/deck-buttons.png": [asPng(deckButtons(1)), asPng(deckButtons(2))],
  "tern/widget.png": [asPng(widget())],
  "tern/log-book.pdf": [() => logBook(1), () => logBook(2)],
  "tern/anchor.wav": [() => anchorAlarm(1), () => anchorAlarm(2)],
  "tern/hold.html": [holdToStop],
  "tern/veere-hoek.gpx": [sampleTrack],
  "tern/sync-bar.webp": [asWebp(syncBar())],
};

const probe = openProbe({ command: [process.execPath, join(root, "cli/probe.ts")], log() {} });
const packed: Uint8Array[] = [];
let at = 0;
const pack = (bytes: Uint8Array): [number, number] => {
  packed.push(bytes);
  at += bytes.length;
  return [at - bytes.length, bytes.length];
};

const index: Record<string, object[]> = {};
for (const [name, versions] of Object.entries(media)) {
  index[name] = [];
  for (const draw of versions) {
    const drawn = await draw();
    const bytes = typeof drawn === "string" ? Buffer.from(drawn) : drawn;
    const source = bytesSource(bytes);
    const found = await probe.inspect(source);
    const variants: Record<string, [number, number]> = {};
    const place = pack(bytes);
    const thumbnail = await probe.thumbnail(source, found, "webp"); // the format of rows older than its column
    if (thumbnail) variants["thumb.webp"] = pack(thumbnail);
    let bundle_index = found.kind === "html" ? (name.split("/")[1] as string) : null;
    if (isBundle(found)) {
      const keep = async ({ path }: { path: string }, chunks: AsyncIterable<Uint8Array>) => {
        variants[`bundle/${path}`] = pack(Buffer.concat(await Array.fromAsync(chunks)));
      };
      bundle_index = (await probe.unbundle(source, { write: keep, async discard() {} })).index;
    }
    const sha256 = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
    index[name].push({ ...found, sha256, bundle_index, place, variants });
    process.stdout.write(
      `${name}  ${bytes.length}  ${found.mime} ${found.width ?? ""} ${found.duration_ms ?? ""} ${thumbnail?.length ?? "-"}\n`,
    );
  }
}
await browser.close();
await Bun.write(join(folder, "pack.bin"), Buffer.concat(packed));
// Pairs stay on one line, as the formatter has them.
const text = JSON.stringify(index, null, 2).replace(/\[\s+(\d+),\s+(\d+)\s+\]/g, "[$1, $2]");
await Bun.write(join(folder, "index.json"), `${text}\n`);
process.stdout.write(`${at} bytes\n`);

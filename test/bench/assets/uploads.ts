/**
 * Small uploads by eight connections, as forms and as reserved uploads, against a plain program that stores
 * them as durably.
 */
import { encodePng } from "../../../src/files/probe/images/raster.ts";
import { makeDatabase } from "../measuring/events.ts";
import { compareCpu, http, type Sample, type Side, wrk } from "../measuring/load.ts";
import type { Place, Result } from "../measuring/measure.ts";
import { bearer, servePlain, serveSvc, token } from "../measuring/svc.ts";
import { countSyncs } from "../measuring/syncs.ts";
import { limitedResult, type Measure } from "../measuring/targets.ts";
import type { Flows } from "./flows.ts";

const imageMeasure = "upload of a PNG of 64 KiB as a form" satisfies Measure;
/** Most of it decodes the image and encodes its thumbnail, in a child that has started. */
const imageMsMax = 6;

const boundary = "a-boundary-of-the-bench";
const field = (name: string, value: string, more = "") =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;

export async function measureUploads(place: Place, svc: string): Promise<Result[]> {
  const open = (place: Place) => openSides(place, svc);
  const syncs = await countSyncs(place, open);
  const results = await compareCpu(
    await open(place),
    [
      ["upload of 64 KiB of random bytes as a form, against a plain program", "random", "plainRandom"],
      [imageMeasure, "image", "plainRandom"],
      ["upload of 64 KiB as a form, against a plain program", "small", "plainSmall"],
      ["upload of 1 MiB as a form, against a plain program", "large", "plainLarge"],
      [
        "upload of 64 KiB, reserved, sent and finalized, against a plain program",
        "reserved",
        "plainReserved",
      ],
    ],
    { unit: "uploads", syncs, rounds: 3 },
  );
  return results.map((row) =>
    row.measure === imageMeasure
      ? limitedResult(imageMeasure, row.svc, row.amount * 1000, [imageMsMax, "ms CPU"])
      : row,
  );
}

async function openSides(place: Place, svc: string) {
  await makeDatabase(place.path("uploads/svc.db"), 0);
  const ours = await serveSvc(place, svc, "uploads");
  const plain = await servePlain(place, "upload", place.path("plain-uploads"));
  const send = place.run<Flows, Omit<Sample, "cpu">>([process.execPath, `${import.meta.dir}/flows.ts`]);
  const sendFile = (url: string, file: Uint8Array) => wrk(place, { url, requests: [formOf(file)] });
  const form = (url: string, bytes: number) => sendFile(url, wordsOf(bytes));
  const reserved =
    (url: string): Side =>
    async () => {
      const before = place.cpuSeconds(url);
      const sent = await send({ url, token, bytes: 64 * 2 ** 10, connections: 8, seconds: 1 });
      return { ...sent, cpu: (place.cpuSeconds(url) - before) / sent.answers };
    };
  const [random, image] = [crypto.getRandomValues(new Uint8Array(2 ** 16)), noise(imageSide)];
  return {
    random: await sendFile(ours, random),
    plainRandom: await sendFile(plain, random),
    image: await sendFile(ours, image),
    small: await form(ours, 64 * 2 ** 10),
    plainSmall: await form(plain, 64 * 2 ** 10),
    large: await form(ours, 2 ** 20),
    plainLarge: await form(plain, 2 ** 20),
    reserved: reserved(ours),
    plainReserved: reserved(plain),
  };
}

const wordsOf = (bytes: number): Uint8Array => Buffer.from("words ".repeat(bytes).slice(0, bytes));

/** Of 64 KiB as a PNG of noise. */
const imageSide = 146;

/** A picture that no encoder makes much smaller. */
function noise(side: number): Uint8Array {
  const pixels = Buffer.alloc(side * side * 4);
  for (let row = 0; row < side; row++)
    crypto.getRandomValues(pixels.subarray(row * side * 4, (row + 1) * side * 4));
  for (let at = 3; at < pixels.length; at += 4) pixels[at] = 255;
  return encodePng({ width: side, height: side, pixels });
}

/** The name says nothing of the file: what it is, its bytes tell. */
function formOf(file: Uint8Array): Buffer {
  const before = `${field("project", "atlas")}${field("file", "", '; filename="a.txt"').slice(0, -2)}`;
  const body = Buffer.concat([Buffer.from(before), file, Buffer.from(`\r\n--${boundary}--\r\n`)]);
  const headers = {
    ...bearer,
    "Content-Type": `multipart/form-data; boundary=${boundary}`,
    "Content-Length": body.length,
  };
  return Buffer.concat([Buffer.from(http("POST", "/api/v1/assets", headers)), body]);
}

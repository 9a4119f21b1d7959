/**
 * Small uploads by eight connections, as forms and as reserved uploads, against a plain program that stores
 * them as durably.
 */
import { makeDatabase } from "../measuring/events.ts";
import { compareCpu, http, type Sample, type Side, wrk } from "../measuring/load.ts";
import type { Place, Result } from "../measuring/measure.ts";
import { bearer, servePlain, serveSvc, token } from "../measuring/svc.ts";
import { countSyncs } from "../measuring/syncs.ts";
import type { Flows } from "./flows.ts";

const boundary = "a-boundary-of-the-bench";
const field = (name: string, value: string, more = "") =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;

export async function measureUploads(place: Place, svc: string): Promise<Result[]> {
  const open = (place: Place) => openSides(place, svc);
  const syncs = await countSyncs(place, open);
  return compareCpu(
    await open(place),
    [
      ["upload of 64 KiB as a form, against a plain program", "small", "plainSmall"],
      ["upload of 1 MiB as a form, against a plain program", "large", "plainLarge"],
      [
        "upload of 64 KiB, reserved, sent and finalized, against a plain program",
        "reserved",
        "plainReserved",
      ],
    ],
    { unit: "uploads", syncs },
  );
}

async function openSides(place: Place, svc: string) {
  await makeDatabase(place.path("uploads/svc.db"), 0);
  const ours = await serveSvc(place, svc, "uploads");
  const plain = await servePlain(place, "upload", place.path("plain-uploads"));
  const send = place.run<Flows, Omit<Sample, "cpu">>([process.execPath, `${import.meta.dir}/flows.ts`]);
  const form = (url: string, bytes: number) => wrk(place, { url, requests: [formOf(bytes)] });
  const reserved =
    (url: string): Side =>
    async () => {
      const before = place.cpuSeconds(url);
      const sent = await send({ url, token, bytes: 64 * 2 ** 10, connections: 8, seconds: 1 });
      return { ...sent, cpu: (place.cpuSeconds(url) - before) / sent.answers };
    };
  return {
    small: await form(ours, 64 * 2 ** 10),
    plainSmall: await form(plain, 64 * 2 ** 10),
    large: await form(ours, 2 ** 20),
    plainLarge: await form(plain, 2 ** 20),
    reserved: reserved(ours),
    plainReserved: reserved(plain),
  };
}

function formOf(bytes: number): string {
  const file = field("file", "words ".repeat(bytes).slice(0, bytes), '; filename="a.txt"');
  const headers = { ...bearer, "Content-Type": `multipart/form-data; boundary=${boundary}` };
  return http("POST", "/api/v1/assets", headers, `${field("project", "atlas")}${file}--${boundary}--\r\n`);
}

/** Many small uploads, as forms, by eight connections, against a plain program that keeps them as safely. */
import { join } from "node:path";
import { openData } from "../../db/open.ts";
import { firing, inRounds, type Place, type Result, ratioOf } from "./measure.ts";
import { againstPeer, servePrebuilt } from "./peers.ts";

const rounds = 9;
const forMs = 1_000;
const connections = 8;
const sizes = [
  { what: "64 KiB", bytes: 64 * 2 ** 10, ratioMin: 0.5 },
  { what: "1 MiB", bytes: 2 ** 20, ratioMin: 0.7 },
] as const;

const token = "bench";
const boundary = "a-boundary-of-the-bench";
const field = (name: string, value: string, more = "") =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;

export async function measureUploads(place: Place, svc: string): Promise<Result[]> {
  const data = await openData(`sqlite:${place.path("uploads/svc.db")}`, {
    now: () => Date.now() * 1000,
    log() {},
  });
  await data.atomically((writes) => writes.linkProject({ slug: "atlas", repo: "acme/atlas" }, 1));
  await data.close();
  const env = {
    SVC_DATA_DIR: place.path("uploads"),
    SVC_PORT: "0",
    SVC_API_TOKENS: `${token}:assets:write`,
    SVC_RATE_LIMIT: "off",
  };
  const ours = await place.serve([svc, "serve"], env);
  const plain = await place.serve([
    process.execPath,
    join(import.meta.dir, "plain/upload.ts"),
    place.path("plain-uploads"),
  ]);
  const prebuilt = await servePrebuilt(place, "x".repeat(20_000)); // as long as a page of the feed
  const results: Result[] = [];
  for (const { what, bytes, ratioMin } of sizes) {
    const requests = [requestOf(bytes)];
    const runs = {
      svc: firing(place, { url: ours, connections, forMs, requests }),
      plain: firing(place, { url: plain, connections, forMs, requests }),
    };
    const fast = () =>
      place.fire({
        url: prebuilt,
        connections,
        forMs: 300,
        requests: ["GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"],
      });
    const found = await inRounds(rounds, { ...runs, prebuilt: fast });
    const ratio = ratioOf(found.svc, found.plain);
    if (bytes === sizes[0].bytes)
      results.push(
        againstPeer(`${what} uploads`, "Directus 12 on SQLite, 64 KiB uploads", found.svc, found.prebuilt, 1),
      );
    results.push({
      ...{
        measure: `${what} uploads, 8 connections`,
        svc: runs.svc.says(found.svc, "uploads"),
        ceiling: runs.plain.says(found.plain, "uploads"),
        ratio,
      },
      ...{ aim: `at least ${ratioMin.toFixed(2)} x`, reached: ratio >= ratioMin },
    });
  }
  return results;
}

function requestOf(bytes: number): string {
  const body = `${field("project", "atlas")}${field("file", "words ".repeat(bytes).slice(0, bytes), '; filename="a.txt"')}--${boundary}--\r\n`;
  return [
    "POST /api/v1/assets HTTP/1.1",
    "Host: localhost",
    `Authorization: Bearer ${token}`,
    `Content-Type: multipart/form-data; boundary=${boundary}`,
    `Content-Length: ${body.length}`,
    `\r\n${body}`,
  ].join("\r\n");
}

/**
 * Large uploads: their speed against a plain loop that writes, hashes and syncs; what they cost in memory,
 * and whom they slow down. The disk decides how long a sync takes, and it may take three times as long a minute
 * later: so the programs take turns with files that are small enough for many rounds, each after a sync of the
 * whole disk, and a ratio is the median of those of the rounds.
 */
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { PresignResponse } from "../../../src/library/assets/requests.ts";
import { quantile } from "../../support/process-times.ts";
import { inRounds, median, type Place, type Result, ratioOf, waitForTurn } from "../measuring/measure.ts";
import { servePlain, sqliteUrl, withData } from "../measuring/svc.ts";
import { limitedResult } from "../measuring/targets.ts";
import type { Large } from "./send.ts";

const rounds = 7;
const size = 2 ** 28;
const ratioMin = 0.7;
const toolsMax = 1.6;
const largest = 2 ** 31;
const memoryMax = 160;
const slowedMax = 5;
const turns = 2;

const token = "bench";
const authorization = `Bearer ${token}`;
const boundary = "a-boundary-of-the-bench";
const part = (name: string) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n`;

export async function measureUpload(place: Place, svc: string): Promise<Result[]> {
  const url = await serveUploads(place, svc, "upload");
  const send = place.run<Large>([process.execPath, join(import.meta.dir, "send.ts")]);
  const plain = place.run<number>([
    process.execPath,
    join(import.meta.dir, "../plain/write.ts"),
    place.path("upload/plain"),
  ]);
  /** What was sent before is neither in the way nor on its way to the disk. */
  const settled = async <T>(work: () => Promise<T>): Promise<T> => {
    await rm(place.path("upload/assets-local/private/atlas"), { recursive: true, force: true });
    Bun.spawnSync(["sync"]);
    return work();
  };
  const [source, copy] = [place.path("upload/source"), place.path("upload/copy")];
  await writeFile(source, Buffer.alloc(size, "What is sent is the same in every run. "));
  /** A copy in the shell, as durable as an upload. */
  const copied = async () => {
    const start = performance.now();
    for (const command of [
      ["cp", source, copy],
      ["openssl", "dgst", "-sha256", copy],
      ["sync", copy],
    ])
      if (Bun.spawnSync(command).exitCode !== 0) throw new Error(`${command[0]} failed`);
    const seconds = (performance.now() - start) / 1000;
    await rm(copy);
    return seconds;
  };
  const form = (bytes: number) => settled(() => send(formOf(url, bytes)));
  const reservation = (bytes: number) => settled(() => reserved(url, send, bytes));

  const found = await inRounds(rounds, {
    form: () => form(size),
    reservation: () => reservation(size),
    plain: () => settled(() => plain(size)),
    tools: () => settled(copied),
  });
  const speed = (seconds: number[]) => `${Math.round(size / 2 ** 20 / median(seconds))} MiB/s`;
  const against = (what: string, seconds: number[]): Result => {
    const ratio = ratioOf(found.plain, seconds);
    const aim = `at least ${ratioMin} times the speed of a plain loop`;
    return {
      measure: `256 MiB upload ${what}`,
      svc: speed(seconds),
      ceiling: speed(found.plain),
      ratio,
      amount: median(seconds),
      aim,
      reached: ratio >= ratioMin,
    };
  };
  const slower = ratioOf(found.form, found.tools);
  return [
    {
      ...{
        measure: "256 MiB upload in one call, time against cp, openssl and sync",
        svc: speed(found.form),
        ceiling: speed(found.tools),
      },
      ...{ ratio: slower, amount: median(found.form) },
      ...{ aim: `at most ${toolsMax} times cp, openssl and sync`, reached: slower <= toolsMax },
    },
    against("in one call", found.form),
    against("to a presigned URL, with finalize", found.reservation),
    ...(await watched("2 GiB upload in one call", place, url, () => form(largest))),
    ...(await watched("2 GiB upload to a presigned URL", place, url, () => reservation(largest))),
    await intoBucket(place, svc, send),
  ];
}

async function serveUploads(
  place: Place,
  svc: string,
  name: string,
  more: Record<string, string> = {},
): Promise<string> {
  await withData(sqliteUrl(place, name), (data) =>
    data.atomically((writes) => writes.linkProject({ slug: "atlas", repo: "acme/atlas" }, 1)),
  );
  return place.serve([svc, "serve"], {
    SVC_DATA_DIR: place.path(name),
    SVC_PORT: "0",
    SVC_RATE_LIMIT: "off",
    SVC_API_TOKENS: `${token}:assets:write,feed:read`,
    ...more,
  });
}

async function intoBucket(
  place: Place,
  svc: string,
  send: (large: Large) => Promise<number>,
): Promise<Result> {
  const url = await serveUploads(place, svc, "bucket", {
    SVC_ASSET_STORE: "s3://bench",
    S3_ENDPOINT: await servePlain(place, "bucket"),
    S3_REGION: "us-east-1",
    S3_ACCESS_KEY_ID: "bench",
    S3_SECRET_ACCESS_KEY: "bench",
  });
  for (let turn = 0; turn < turns; turn++) await send(formOf(url, largest));
  const memory = place.peakMemory(url);
  const measure = "2 GiB upload in one call into a bucket: peak memory";
  return limitedResult(measure, `${Math.round(memory)} MB`, memory, [memoryMax, "MB"]);
}

function formOf(url: string, bytes: number): Large {
  const filename = '; filename="a.bin"';
  return {
    ...{ url: `${url}/api/v1/assets`, method: "POST", size: bytes },
    headers: { authorization, "content-type": `multipart/form-data; boundary=${boundary}` },
    before: `${part("project")}atlas\r\n${part("file").replace("\r\n\r\n", `${filename}\r\n\r\n`)}`,
    after: `\r\n--${boundary}--\r\n`,
  };
}

async function reserved(
  url: string,
  send: (large: Large) => Promise<number>,
  bytes: number,
): Promise<number> {
  const post = async <T>(to: string, body: object): Promise<T> => {
    const response = await fetch(to, {
      method: "POST",
      headers: { authorization, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (response.status !== 201)
      throw new Error(`${to} answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as T;
  };
  const one = await post<PresignResponse>(`${url}/api/v1/assets`, {
    presign: true,
    project: "atlas",
    filename: "a.bin",
  });
  const sending = await send({
    url: one.upload_url,
    method: "PUT",
    headers: one.headers ?? {},
    before: "",
    size: bytes,
    after: "",
  });
  const start = performance.now();
  await post(one.finalize_url, one.finalize_body);
  return sending + (performance.now() - start) / 1000;
}

/**
 * The peak of the server's memory, and what a reader of the feed notices meanwhile: by turns without and with
 * an upload. The server, the sender and this reader are three processes; on two cores they are in each
 * other's way whatever the server does.
 */
async function watched(
  measure: string,
  place: Place,
  url: string,
  work: () => Promise<number>,
): Promise<Result[]> {
  const idle: number[] = [];
  const busy: number[] = [];
  for (let turn = 0; turn < turns; turn++) {
    await waitForTurn();
    idle.push(quantile(await feedTimes(url, Bun.sleep(2_000)), 0.99));
    busy.push(quantile(await feedTimes(url, work()), 0.99));
  }
  const memory = place.peakMemory(url);
  const ratio = ratioOf(busy, idle);
  return [
    limitedResult(`${measure}: peak memory`, `${Math.round(memory)} MB`, memory, [memoryMax, "MB"]),
    {
      ...{
        measure: `${measure}: feed p99 during the upload`,
        svc: `${median(busy).toFixed(1)} ms`,
        ceiling: `${median(idle).toFixed(1)} ms idle`,
        ratio,
      },
      ...{
        amount: median(busy),
        aim: `under ${slowedMax} times that without an upload`,
        reached: ratio < slowedMax,
      },
    },
  ];
}

/** How long one page of the feed after the other takes, in milliseconds, until something else is done. */
async function feedTimes(url: string, until: Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  let isOver = false;
  const over = until.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const start = performance.now();
    const response = await fetch(`${url}/api/v1/feed`, { headers: { authorization } });
    await response.text();
    times.push(performance.now() - start);
    await Bun.sleep(5);
  }
  await over;
  return times;
}

/** Downloads by range, against nginx on the same file. */
import { writeFile } from "node:fs/promises";
import { openData } from "../../db/open.ts";
import type { Asset } from "../../src/assets/schema.ts";
import { inRounds, median, type Place, type Result, ratioOf } from "./measure.ts";

const rounds = 9;
const forMs = 1_000;
const MiB = 2 ** 20;
const size = 100 * MiB;

const token = "bench";

export async function measureDownload(place: Place, svc: string): Promise<Result[]> {
  const nginx = Bun.which("nginx", { PATH: `${process.env.PATH}:/usr/sbin:/usr/local/sbin` });
  if (!nginx) {
    process.stderr.write(
      "there is no nginx on this machine (Debian has it as nginx-light), so downloads are not measured\n",
    );
    return [];
  }
  const bytes = Buffer.alloc(size, "What is read is the same in every run. ");
  await writeFile(place.path("file.bin"), bytes);
  const theirs = await startNginx(place, nginx);
  const ours = await upload(place, svc, new File([bytes], "file.bin"));
  await requireSame(ours, theirs);
  const sendLoad = (url: string, ranges: [number, number][]) => async () => {
    const { pathname, origin, host } = new URL(url);
    const requests = ranges.map(
      ([start, end]) =>
        `GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\nRange: bytes=${start}-${end - 1}\r\n\r\n`,
    );
    const [first] = ranges as [[number, number]];
    return (
      ((await place.fire({ url: origin, connections: 1, forMs, requests })) * (first[1] - first[0])) / MiB
    );
  };
  /** All over the file, none behind the one before. */
  const parts = (bytes: number) =>
    Array.from({ length: 99 }, (_, index): [number, number] => [
      ((index * 61) % 99) * MiB,
      ((index * 61) % 99) * MiB + bytes,
    ]);
  const results: Result[] = [];
  for (const { what, ranges, ratioMin } of [
    { what: "100 MiB in one range", ranges: [[0, size]] as [number, number][], ratioMin: 0.85 },
    { what: "1 MiB ranges", ranges: parts(MiB), ratioMin: 0.7 },
    { what: "64 KiB ranges", ranges: parts(64 * 2 ** 10), ratioMin: 0.6 },
  ]) {
    const costs = new Map([ours, theirs].map((url) => [url, [] as number[]]));
    const run = (url: string) => async () => {
      const { origin } = new URL(url);
      const before = place.cpuSeconds(origin);
      const rate = await sendLoad(url, ranges)();
      costs.get(url)?.push(((place.cpuSeconds(origin) - before) * 1000) / (rate * (forMs / 1000)));
      return rate;
    };
    const found = await inRounds(rounds, { svc: run(ours), nginx: run(theirs) });
    const ratio = ratioOf(found.svc, found.nginx);
    const said = (url: string, rates: number[]) =>
      `${speed(rates)}, ${median(costs.get(url) as number[]).toFixed(2)} ms CPU per MiB`;
    results.push({
      ...{
        measure: `download, ${what}, against nginx`,
        svc: said(ours, found.svc),
        ceiling: said(theirs, found.nginx),
        ratio,
      },
      ...{ aim: `at least ${ratioMin.toFixed(2)} x`, reached: ratio >= ratioMin },
    });
  }
  return results;
}

const speed = (rates: number[]): string => `${Math.round(median(rates))} MiB/s`;

/** One process, as svc is one. */
async function startNginx(place: Place, nginx: string): Promise<string> {
  const probe = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const { port } = probe;
  probe.stop(true);
  const config = `
    daemon off; master_process off; pid ${place.path("nginx.pid")}; error_log stderr crit;
    events { worker_connections 64; }
    http {
      access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000;
      client_body_temp_path ${place.path("nginx")}; proxy_temp_path ${place.path("nginx")}; fastcgi_temp_path ${place.path("nginx")};
      uwsgi_temp_path ${place.path("nginx")}; scgi_temp_path ${place.path("nginx")};
      server { listen 127.0.0.1:${port}; location / { root ${place.path(".")}; } }
    }`;
  await writeFile(place.path("nginx.conf"), config);
  const url = `http://127.0.0.1:${port}`;
  await place.serve([
    "sh",
    "-c",
    `echo ${url}; exec ${nginx} -e stderr -p ${place.path(".")} -c ${place.path("nginx.conf")}`,
  ]);
  for (let attempt = 0; attempt < 100; attempt++) {
    if (
      await fetch(`${url}/file.bin`, { method: "HEAD" }).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return `${url}/file.bin`;
    await Bun.sleep(50);
  }
  throw new Error("nginx does not answer");
}

/** @returns the signed address of the file */
async function upload(place: Place, svc: string, file: File): Promise<string> {
  const data = await openData(`sqlite:${place.path("download/svc.db")}`, {
    now: () => Date.now() * 1000,
    log() {},
  });
  await data.atomically((writes) => writes.linkProject({ slug: "atlas", repo: "acme/atlas" }, 1));
  await data.close();
  const env = {
    SVC_DATA_DIR: place.path("download"),
    SVC_PORT: "0",
    SVC_RATE_LIMIT: "off",
    SVC_API_TOKENS: `${token}:assets:write`,
  };
  const url = await place.serve([svc, "serve"], env);
  const body = new FormData();
  body.append("project", "atlas");
  body.append("file", file);
  const response = await fetch(`${url}/api/v1/assets`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
    body,
  });
  if (response.status !== 201)
    throw new Error(`the upload was answered with ${response.status}: ${await response.text()}`);
  return ((await response.json()) as Asset).url as string;
}

/** Only programs that answer alike can be compared. */
async function requireSame(...urls: string[]): Promise<void> {
  const answers = await Promise.all(
    urls.map(async (url) => {
      const response = await fetch(url, { headers: { range: `bytes=${MiB - 5}-${size - 3}` } });
      return `${response.status} ${response.headers.get("content-range")} ${Bun.hash(await response.bytes())}`;
    }),
  );
  if (new Set(answers).size > 1) throw new Error(`the programs answer differently: ${answers.join(", ")}`);
}

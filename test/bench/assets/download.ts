/** Downloads, whole and by range, against nginx and a plain program on the same file. */
import { writeFile } from "node:fs/promises";
import type { Asset } from "../../../src/library/assets/schema.ts";
import { makeDatabase } from "../measuring/events.ts";
import { compareCpu, http, wrk } from "../measuring/load.ts";
import type { Place, Result } from "../measuring/measure.ts";
import { bearer, requireSame, servePlain, serveSvc } from "../measuring/svc.ts";

const MiB = 2 ** 20;
const size = 100 * MiB;
const playerBytes = 16 * 2 ** 10;

export async function measureDownload(place: Place, svc: string): Promise<Result[]> {
  const bytes = Buffer.alloc(size, "What is read is the same in every run. ");
  await writeFile(place.path("file.bin"), bytes);
  const nginx = await startNginx(place);
  const ours = await upload(place, svc, new File([bytes], "file.bin"));
  const plain = await servePlain(place, "ranges", place.path("file.bin"), await headersOf(ours));
  requireSame(...(await Promise.all([ours, nginx, plain].map(answerTo))));
  const whole = (url: string) =>
    wrk(place, { url: new URL(url).origin, requests: [http("GET", new URL(url).pathname)], connections: 1 });
  const rangesAt = (url: string, starts: number[], length: number, connections?: number) => {
    const requests = starts.map((start) =>
      http("GET", new URL(url).pathname, { Range: `bytes=${start}-${start + length - 1}` }),
    );
    return wrk(place, { url: new URL(url).origin, requests, ...(connections && { connections }) });
  };
  /** All over the file, none behind the one before. */
  const ranges = (url: string, length: number) =>
    rangesAt(
      url,
      Array.from({ length: 99 }, (_, index) => ((index * 61) % 99) * MiB),
      length,
    );
  /** One after the other on one connection, as a player fills its buffer. */
  const player = (url: string) =>
    rangesAt(
      url,
      Array.from({ length: 1_600 }, (_, index) => index * playerBytes),
      playerBytes,
      1,
    );
  const files = await compareCpu(
    { svc: await whole(ours), nginx: await whole(nginx) },
    [["download of 100 MiB, against nginx", "svc", "nginx"]],
    { unit: "files", rounds: 3 },
  );
  const parts = await compareCpu(
    {
      large: await ranges(ours, MiB),
      nginxLarge: await ranges(nginx, MiB),
      small: await ranges(ours, 64 * 2 ** 10),
      nginxSmall: await ranges(nginx, 64 * 2 ** 10),
      plainSmall: await ranges(plain, 64 * 2 ** 10),
      tiny: await ranges(ours, 4 * 2 ** 10),
      plainTiny: await ranges(plain, 4 * 2 ** 10),
      player: await player(ours),
      plainPlayer: await player(plain),
    },
    [
      ["ranges of 1 MiB, against nginx", "large", "nginxLarge"],
      ["ranges of 64 KiB, against nginx", "small", "nginxSmall"],
      ["ranges of 64 KiB, against a plain program", "small", "plainSmall"],
      ["ranges of 4 KiB, against a plain program", "tiny", "plainTiny"],
      ["ranges of 16 KiB by one player, against a plain program", "player", "plainPlayer"],
    ],
    { unit: "ranges" },
  );
  return [...files, ...parts];
}

/** One process, as svc is one. @returns the URL of the file */
async function startNginx(place: Place): Promise<string> {
  const nginx = Bun.which("nginx", { PATH: `${process.env.PATH}:/usr/sbin:/usr/local/sbin` });
  if (!nginx) throw new Error("downloads are compared with nginx: apt-get install nginx-light");
  const probe = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const { port } = probe;
  probe.stop(true);
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${place.path("nginx")};`,
  );
  const config = `
    daemon off; master_process off; pid ${place.path("nginx.pid")}; error_log stderr crit;
    events { worker_connections 64; }
    http {
      access_log off; sendfile on; tcp_nopush on; keepalive_requests 100000000; ${paths.join(" ")}
      server { listen 127.0.0.1:${port}; location / { root ${place.path(".")}; } }
    }`;
  await writeFile(place.path("nginx.conf"), config);
  const url = `http://127.0.0.1:${port}`;
  const command = `${nginx} -e stderr -p ${place.path(".")} -c ${place.path("nginx.conf")}`;
  await place.serve(["sh", "-c", `echo ${url}; exec ${command}`]);
  for (let attempt = 0; attempt < 100; attempt++) {
    const isUp = await fetch(`${url}/file.bin`, { method: "HEAD" }).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) return `${url}/file.bin`;
    await Bun.sleep(50);
  }
  throw new Error("nginx does not answer");
}

/** @returns the signed URL of the file */
async function upload(place: Place, svc: string, file: File): Promise<string> {
  await makeDatabase(place.path("download/svc.db"), 0);
  const url = await serveSvc(place, svc, "download");
  const body = new FormData();
  body.append("project", "atlas");
  body.append("file", file);
  const response = await fetch(`${url}/api/v1/assets`, { method: "POST", headers: bearer, body });
  if (response.status !== 201) throw new Error(`the upload failed: ${await response.text()}`);
  return ((await response.json()) as Asset).url as string;
}

/** The headers that ranges of a file share, for the plain program. */
async function headersOf(url: string): Promise<string> {
  const { headers } = await fetch(url, { headers: { range: "bytes=0-9" } });
  for (const name of ["content-length", "content-range", "date"]) headers.delete(name);
  return JSON.stringify(Object.fromEntries(headers));
}

async function answerTo(url: string): Promise<string> {
  const response = await fetch(url, { headers: { range: `bytes=${MiB - 5}-${2 * MiB - 10}` } });
  return `${response.status} ${response.headers.get("content-range")} ${Bun.hash(await response.bytes())}`;
}

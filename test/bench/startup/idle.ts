/** What a server holds that has nothing to do: asked once, and after pages and uploads. */
import { makeDatabase } from "../measuring/events.ts";
import type { Place, Result, Waiting } from "../measuring/measure.ts";
import { bearer, serveSvc } from "../measuring/svc.ts";
import { limitedResult, resultOf } from "../measuring/targets.ts";

const megabytesMax = 90;
const idleMs = 10_000;
const usedMegabytesMax = 110;
/** Longer than it waits before it gives memory back (src/api/http/monitoring/idle-memory.ts). */
const usedIdleMs = 75_000;
const uploads = 1_000;
const uploadBytes = 65_536;
const connections = 8;
const pages = ["/", "/feed", "/assets", "/projects", "/usage", "/search?q=words", "/docs"];

/** Ends when both servers have nothing left to do; what comes then is waiting. */
export async function measureIdle(place: Place, svc: string): Promise<Waiting> {
  const servers = [await startIdleServer(place, svc), await startUsedServer(place, svc)] as const;
  return { results: resultsOf(servers, place.memory) };
}

async function resultsOf(
  [idleServer, usedServer]: readonly [string, string],
  memory: Place["memory"],
): Promise<Result[]> {
  await Bun.sleep(idleMs);
  const idle = memory(idleServer);
  await Bun.sleep(usedIdleMs - idleMs);
  const used = memory(usedServer);
  return [
    limitedResult("memory of an idle server", `${Math.round(idle)} MB`, idle, [megabytesMax, "MB"]),
    resultOf(
      "memory of a server a minute after pages and uploads",
      `${Math.round(used)} MB`,
      `${usedMegabytesMax} MB`,
      used / usedMegabytesMax,
      used,
    ),
  ];
}

/** @returns the URL of a server that answered one request */
async function startIdleServer(place: Place, svc: string): Promise<string> {
  const path = place.path("idle.db");
  await makeDatabase(path, 100_000);
  const url = await place.serve([svc, "serve"], {
    ...{
      SVC_DATABASE_URL: `sqlite:${path}`,
      SVC_DATA_DIR: place.path("idle"),
      SVC_PORT: "0",
      SVC_PUBLIC_READ: "1",
    },
  });
  const response = await fetch(`${url}/api/v1/feed`);
  if (!response.ok) throw new Error(`the feed was answered with ${response.status}`);
  return url;
}

/** @returns the URL of a server that showed pages and took uploads */
async function startUsedServer(place: Place, svc: string): Promise<string> {
  await makeDatabase(place.path("used/svc.db"), 100_000);
  const url = await serveSvc(place, svc, "used", { SVC_PUBLIC_READ: "1" });
  for (const page of pages) await (await fetch(url + page)).text();
  let waiting = uploads;
  const upload = async () => {
    while (waiting-- > 0) {
      const body = new FormData();
      body.append("project", "atlas");
      body.append("file", new File([crypto.getRandomValues(new Uint8Array(uploadBytes))], "a.bin"));
      const response = await fetch(`${url}/api/v1/assets`, { method: "POST", headers: bearer, body });
      if (response.status !== 201) throw new Error(`an upload was answered with ${response.status}`);
      await response.text();
    }
  };
  await Promise.all(Array.from({ length: connections }, upload));
  return url;
}

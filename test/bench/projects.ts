/** The list of projects, two hundred of them, polled as one list and page by page. */
import { openData } from "../../db/open.ts";
import { inRounds, type Place, type Result } from "./measure.ts";
import { againstPeer, servePrebuilt } from "./peers.ts";

const count = 200;
const rounds = 9;
const forMs = 300;
const connections = 8;
const atLeast = 25;

export async function measureProjects(place: Place, svc: string): Promise<Result[]> {
  const data = await openData(`sqlite:${place.path("projects/svc.db")}`, {
    now: () => Date.now() * 1000,
    log() {},
  });
  await data.atomically(async (writes) => {
    for (let index = 0; index < count; index++)
      await writes.linkProject(
        { slug: `project-${index}`, repo: `acme/project-${index}`, summary: "Maps of the harbor." },
        1 + index,
      );
  });
  await data.close();
  const env = {
    SVC_DATA_DIR: place.path("projects"),
    SVC_PORT: "0",
    SVC_RATE_LIMIT: "999999999/60",
    SVC_PUBLIC_READ: "1",
  };
  const ours = await place.serve([svc, "serve"], env);
  const first = await (await fetch(`${ours}/api/v1/projects`)).text();
  const prebuilt = await servePrebuilt(place, first);
  const cursors = await cursorsOf(`${ours}/api/v1/projects`);
  const sendLoad = (url: string, path: string, queries: string[]) => () =>
    place.fire({
      url,
      connections,
      forMs,
      requests: queries.map((query) => `GET ${path}${query} HTTP/1.1\r\nHost: localhost\r\n\r\n`),
    });
  const found = await inRounds(rounds, {
    first: sendLoad(ours, "/api/v1/projects", [""]),
    all: sendLoad(ours, "/api/v1/projects", cursors),
    prebuilt: sendLoad(prebuilt, "/", [""]),
  });
  const peer = "Directus 12 on SQLite, a page of the feed";
  return [
    againstPeer("projects, first page", peer, found.first, found.prebuilt, atLeast),
    againstPeer("projects, every page", peer, found.all, found.prebuilt, atLeast),
  ];
}

/** Queries of every page: more of them than the server keeps. */
async function cursorsOf(url: string): Promise<string[]> {
  const queries: string[] = [];
  for (let limit = 1; limit <= 40; limit++) {
    let query = `?limit=${limit}`;
    for (let page = 0; page < 5; page++) {
      queries.push(query);
      const { next_cursor } = (await (await fetch(url + query)).json()) as { next_cursor: string | null };
      if (next_cursor === null) break;
      query = `?limit=${limit}&cursor=${next_cursor}`;
    }
  }
  return queries;
}

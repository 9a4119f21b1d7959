/** The list of projects, two hundred of them, polled as one list and page by page. */
import { compareCpu, http, wrk } from "../measuring/load.ts";
import type { Place, Result } from "../measuring/measure.ts";
import { bearer, read, servePrebuilt, serveSvc, sqliteUrl, withData } from "../measuring/svc.ts";

const count = 200;
const path = "/api/v1/projects";

export async function measureProjects(place: Place, svc: string): Promise<Result[]> {
  await withData(sqliteUrl(place, "projects"), (data) =>
    data.atomically(async (writes) => {
      for (let index = 0; index < count; index++)
        await writes.linkProject(
          { slug: `project-${index}`, repo: `acme/project-${index}`, summary: "Maps of the harbor." },
          1 + index,
        );
    }),
  );
  const ours = await serveSvc(place, svc, "projects");
  const prebuilt = await servePrebuilt(place, await read(ours + path));
  const get = (url: string, target: string, queries: string[]) =>
    wrk(place, { url, requests: queries.map((query) => http("GET", target + query, bearer)) });
  return compareCpu(
    {
      first: await get(ours, path, [""]),
      all: await get(ours, path, await queriesOf(ours + path)),
      prebuilt: await get(prebuilt, "/", [""]),
    },
    [
      ["projects, first page, against a prebuilt response", "first", "prebuilt"],
      ["projects, every page, against a prebuilt response", "all", "prebuilt"],
    ],
    { unit: "pages" },
  );
}

/** Queries of every page: more of them than the server caches. */
async function queriesOf(url: string): Promise<string[]> {
  const queries: string[] = [];
  for (let limit = 1; limit <= 40; limit++) {
    let query = `?limit=${limit}`;
    for (let page = 0; page < 5; page++) {
      queries.push(query);
      const { next_cursor }: { next_cursor: string | null } = JSON.parse(await read(url + query));
      if (next_cursor === null) break;
      query = `?limit=${limit}&cursor=${next_cursor}`;
    }
  }
  return queries;
}

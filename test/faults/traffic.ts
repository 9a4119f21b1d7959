/**
 * What clients do all day at once: append, upload, reserve and finalize, read, look at pages, follow the live
 * feed.
 */
import { createHash } from "node:crypto";
import type { FeedPage } from "../../src/feed/schema.ts";
import type { PresignResponse } from "../../src/library/assets/requests.ts";
import type { Asset } from "../../src/library/assets/schema.ts";
import { event, must, programToken, scaled } from "../support/harness.ts";
import { readFrames } from "../support/http/server-sent-events.ts";

const authorization = { authorization: `Bearer ${programToken}` };
const json = { ...authorization, "content-type": "application/json" };
/** Before it tries again. */
const pauseMs = 100;
/** Between two requests of a client, and two uploads: the suite shares its processors with other tests. */
const [restMs, uploadRestMs] = [scaled(40, 5), scaled(200, 50)];

export interface Traffic {
  /** Ends all but the follower. @returns resolves when they are done */
  stop(): Promise<void>;
  /** Ids of events as the follower read them, once it has read this many. */
  followed(count: number): Promise<number[]>;
  /** Of the events that were acknowledged. */
  keys: string[];
  /** Of the assets that were acknowledged: id → SHA-256. */
  assets: Map<string, string>;
  /** What clients asked for, in vain even when they asked again as often as they do. */
  failures: string[];
  /** Whether a request that failed is being tried again. */
  isRetrying(): boolean;
}

/** @param retriesMax how often a client asks again what failed */
export function startTraffic(origin: string, retriesMax: number): Traffic {
  const ended = new AbortController();
  const [keys, assets, failures] = [[] as string[], new Map<string, string>(), [] as string[]];
  /** Attempts that failed, of requests that are not over yet. */
  let failedAttempts = 0;

  /** The answer, or null for a client that gave up. `fine`: statuses that it can work with. */
  async function ask(
    path: string,
    init: RequestInit,
    fine: number[],
  ): Promise<{ status: number; body: string } | null> {
    const url = path.startsWith("http") ? path : origin + path;
    const errors: string[] = [];
    try {
      while (errors.length <= retriesMax) {
        if (errors.length > 0) await Bun.sleep(pauseMs);
        try {
          const signal = AbortSignal.timeout(20_000);
          const response = await fetch(url, { ...init, keepalive: false, signal });
          const body = await response.text();
          if (fine.includes(response.status)) return { status: response.status, body };
          errors.push(`${response.status} ${body.slice(0, 200)}`);
        } catch (error) {
          errors.push((error as Error).message);
        }
        failedAttempts++;
      }
      failures.push(`${init.method ?? "GET"} ${path}: ${errors.join("; ")}`);
      return null;
    } finally {
      failedAttempts -= errors.length;
    }
  }

  async function append(writer: number): Promise<void> {
    for (let number = 0; !ended.signal.aborted; number++) {
      const batch = Array.from({ length: 1 + (number % 5) }, (_, index) => `${writer}-${number}-${index}`);
      const events = batch.map((dedupe_key) => event({ dedupe_key, project: "atlas", tokens_in: 1 }));
      if (
        await ask(
          "/api/v1/events",
          { method: "POST", headers: json, body: JSON.stringify({ events }) },
          [200],
        )
      )
        keys.push(...batch);
      await Bun.sleep(restMs);
    }
  }

  const bytesOf = (name: string) => `${name} `.repeat(2_000);
  const hashOf = (text: string) => createHash("sha256").update(text).digest("hex");

  async function upload(): Promise<void> {
    for (let number = 0; !ended.signal.aborted; number++) {
      const text = bytesOf(`form ${number}`);
      const form = new FormData();
      form.set("project", "atlas");
      form.set("file", new Blob([text]), `${number}.txt`);
      const answer = await ask(
        "/api/v1/assets",
        { method: "POST", headers: authorization, body: form },
        [201],
      );
      if (answer) assets.set((JSON.parse(answer.body) as Asset).id, hashOf(text));
      await Bun.sleep(uploadRestMs);
    }
  }

  async function reserve(): Promise<void> {
    for (let number = 0; !ended.signal.aborted; number++) {
      const text = bytesOf(`reserved ${number}`);
      const fields = {
        presign: true,
        project: "atlas",
        filename: `${number}.txt`,
        content_type: "text/plain",
      };
      const reserved = await ask(
        "/api/v1/assets",
        { method: "POST", headers: json, body: JSON.stringify(fields) },
        [201],
      );
      if (!reserved) continue;
      const { id, upload_url, headers = {}, finalize_body } = JSON.parse(reserved.body) as PresignResponse;
      if (!(await ask(upload_url, { method: "PUT", headers, body: text }, [200]))) continue;
      const finalize = { method: "POST", headers: json, body: JSON.stringify(finalize_body) };
      // Asked again after an answer got lost, it is told that this is done.
      if (await ask(`/api/v1/assets/${id}/finalize`, finalize, [201, 409])) assets.set(id, hashOf(text));
      await Bun.sleep(uploadRestMs);
    }
  }

  async function read(paths: string[]): Promise<void> {
    for (let number = 0; !ended.signal.aborted; number++) {
      await ask(must(paths[number % paths.length]), { headers: authorization }, [200]);
      await Bun.sleep(restMs);
    }
  }

  let wanted = Number.POSITIVE_INFINITY;

  /** The stream from its beginning, coming back behind the last event whenever it ends. */
  async function follow(): Promise<number[]> {
    const found: number[] = [];
    for (let failed = 0; found.length < wanted; ) {
      const resume = found.length > 0 ? { "last-event-id": String(found.at(-1)) } : {};
      try {
        const query = found.length > 0 ? "" : "?after=1970-01-01T00:00:00Z";
        const response = await fetch(`${origin}/api/v1/feed/stream${query}`, {
          headers: { ...authorization, ...resume },
        });
        for await (const { id } of readFrames(response).events) {
          failed = 0;
          if (found.push(id) >= wanted) break;
        }
      } catch (error) {
        if (!/closed|reset|terminated/i.test(String(error)) && ++failed > retriesMax)
          failures.push(`the stream: ${error}`);
        await Bun.sleep(pauseMs);
      }
    }
    return found;
  }

  const working = [
    ...Array.from({ length: 3 }, (_, writer) => append(writer)),
    ...[upload(), reserve()],
    read(["/api/v1/feed?limit=20", "/api/v1/projects", "/api/v1/projects/atlas", "/api/v1/info"]),
    read(["/api/v1/assets", "/healthz", "/docs/api", "/api/v1/feed?kind=run.started"]),
  ];
  const following = follow();
  return {
    ...{ keys, assets, failures },
    isRetrying: () => failedAttempts > 0,
    async stop() {
      ended.abort();
      await Promise.all(working);
    },
    async followed(count) {
      wanted = count;
      // What wakes it is one event more than it waits for.
      const headers = json;
      await fetch(`${origin}/api/v1/events`, {
        method: "POST",
        headers,
        body: JSON.stringify({ events: [event()] }),
      });
      return (await following).slice(0, count);
    },
  };
}

/** Every id of the feed, oldest first, read in pages. */
export async function feedIds(origin: string): Promise<number[]> {
  const ids: number[] = [];
  for (let before: string | null = ""; before !== null; ) {
    const query = `limit=200${before && `&before=${encodeURIComponent(before)}`}`;
    const page = (await (
      await fetch(`${origin}/api/v1/feed?${query}`, { headers: authorization })
    ).json()) as FeedPage;
    ids.push(...page.events.map(({ id }) => id));
    before = page.next_before;
  }
  return ids.reverse();
}

/** SHA-256 of the bytes behind the asset's address. */
export async function hashOfAsset(origin: string, id: string): Promise<string> {
  const asset = (await (
    await fetch(`${origin}/api/v1/assets/${id}`, { headers: authorization })
  ).json()) as Asset;
  return createHash("sha256")
    .update(await (await fetch(must(asset.url))).bytes())
    .digest("hex");
}

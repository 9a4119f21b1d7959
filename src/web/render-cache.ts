/**
 * Cache of rendered pages. A page is rendered again only when the JSON it is made of changes; where the
 * database knows its edition, the JSON is not even read again while no row has changed.
 */
import type { Context } from "../api/context.ts";
import { dataVersion } from "../api/http/response-cache.ts";
import { Cache, perObject, textBytes } from "../core/lib/cache.ts";
import { secondMicros } from "../core/lib/time.ts";
import type { Markup, View } from "./view.ts";

interface CachedPage {
  answer: string;
  /** The version of the rows it was rendered from; null: unknown. */
  version: number | null;
  body: Markup;
}

/** The maximum age of everything else in the page, such as the names of projects. */
const maxAgeMicros = 5 * secondMicros;

/** By URL and by what the visitor may see. All pages are dropped together when they may be too old. */
const cacheOf = perObject(
  ({ now }: Context) =>
    new Cache<string, CachedPage>({
      max: 50,
      bytesMax: 64 * 2 ** 20,
      bytesOf: ({ answer, body }) => textBytes(answer) + body.byteLength,
      edition: () => Math.floor(now() / maxAgeMicros),
    }),
);

export async function renderCached(
  { ctx, visitor: { caller }, url }: View,
  ask: () => Promise<string>,
  render: (answer: string) => Promise<string>,
): Promise<Markup> {
  const cache = cacheOf(ctx);
  // Each sees other names then.
  const reader = ctx.config.hidePersons ? `${caller.name} ${caller.actor}` : "";
  const rights = `${[...caller.scopes].join()} ${caller.role} ${caller.projects?.join() ?? "all"}`;
  const key = `${reader} ${rights} ${url.pathname}${url.search}`;
  const cached = cache.get(key);
  const version = dataVersion(ctx);
  if (cached && version !== null && cached.version === version) return cached.body;
  const answer = await ask();
  const body = cached?.answer === answer ? cached.body : new TextEncoder().encode(await render(answer));
  cache.set(key, { answer, version, body });
  return body;
}

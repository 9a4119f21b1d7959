/** Resource subscriptions: tells a client which of its assets were reviewed, published, or replaced. */

import { createMcpHandler, type Server } from "@modelcontextprotocol/server";
import { isStillAuthorized } from "../../../core/auth/authentication.ts";
import { isAllowed } from "../../../core/auth/authorization.ts";
import type { Caller } from "../../../core/auth/caller.ts";
import { Problem } from "../../../core/problem.ts";
import { enterParked, reviewChanges } from "../../../library/review-requests/review-changes.ts";
import type { Context } from "../../context.ts";
import type { ResolveCaller } from "../tools/tools.ts";
import { assetIdOf } from "./resources.ts";

/** URIs of one client; further ones are not watched. */
const watchedMax = 100;

interface Updates {
  onUpdate(uri: string): void;
  /** The token was revoked, or the process stops: no more updates will come. */
  onEnd(): void;
}

export class AssetWatch {
  /** By URI: the state that the client knows. */
  readonly #states = new Map<string, string>();
  #subscribed: Promise<() => void> | null = null;
  #isChecking = false;
  #isStale = false;
  #isClosed = false;

  constructor(
    readonly ctx: Context,
    readonly resolveCaller: ResolveCaller,
    readonly updates: Updates,
  ) {}

  /** Watches these resources. @returns those that are assets the caller may read */
  async add(uris: readonly string[]): Promise<string[]> {
    if (this.#isClosed) return [];
    this.#subscribed ??= reviewChanges(this.ctx.feedNotifier, this.ctx.data).subscribe(() => this.#check());
    await this.#subscribed; // before the read, so that no later change is missed
    const room = Math.max(0, watchedMax - this.#states.size);
    const states = await this.#read([...new Set(uris)].slice(0, room));
    for (const [uri, state] of states) this.#states.set(uri, state);
    return [...states.keys()];
  }

  remove(uri: string): void {
    this.#states.delete(uri);
  }

  close(): void {
    this.#isClosed = true;
    this.#states.clear();
    this.#subscribed?.then((unsubscribe) => unsubscribe());
  }

  /** One check at a time; a change meanwhile is checked afterwards. */
  async #check(): Promise<void> {
    this.#isStale = true;
    if (this.#isChecking) return;
    this.#isChecking = true;
    while (this.#isStale && !this.#isClosed) {
      this.#isStale = false;
      await this.#report().catch(() => this.#end());
    }
    this.#isChecking = false;
  }

  async #report(): Promise<void> {
    if (this.ctx.feedNotifier.closed) return this.#end();
    for (const [uri, state] of await this.#read([...this.#states.keys()])) {
      if (!this.#states.has(uri) || this.#states.get(uri) === state) continue;
      this.#states.set(uri, state);
      this.updates.onUpdate(uri);
    }
  }

  #end(): void {
    this.close();
    this.updates.onEnd();
  }

  /** @throws {Problem} 401 if the token is not valid any more */
  async #read(uris: string[]): Promise<Map<string, string>> {
    const { data, config } = this.ctx;
    const caller = await this.resolveCaller();
    if (uris.length === 0 || !isAllowed(caller, "assets:read", config)) return new Map();
    const ids = new Map(uris.flatMap((uri) => [[uri, assetIdOf(uri)] as const]));
    const known = [...ids.values()].filter((id) => id !== null);
    const found = await data.reviewStates(caller.projects, known);
    const states = new Map(found.map(({ id, status, reviewed_at }) => [id, `${status} ${reviewed_at}`]));
    return new Map(
      [...ids].flatMap(([uri, id]) => {
        const state = states.get(id ?? "");
        return state === undefined ? [] : [[uri, state] as const];
      }),
    );
  }
}

/** The assets that a `subscriptions/listen` message asks for; null if it is malformed. */
export function requestedUris(message: unknown): string[] | null {
  const { params } = message as { params?: { notifications?: { resourceSubscriptions?: unknown } } };
  const uris = params?.notifications?.resourceSubscriptions;
  return Array.isArray(uris) && uris.every((uri) => typeof uri === "string") ? uris : null;
}

/** The message with only these resources. */
export const withUris = (message: unknown, uris: readonly string[]): Record<string, unknown> => {
  const { params, ...rest } = message as { params: { notifications: object } };
  return {
    ...rest,
    params: { ...params, notifications: { ...params.notifications, resourceSubscriptions: uris } },
  };
};

/** Open subscriptions of one token. */
const openMax = 20;

interface Listener {
  caller: Caller;
  createServer(): Server;
}

/**
 * Opens a subscription. The library acknowledges it, and keeps the stream alive; the acknowledgment names
 * only assets that the caller may read. It ends when the token is revoked and when the process stops.
 * @throws {Problem} 429 if the token has too many
 */
export async function listen(
  ctx: Context,
  request: Request,
  body: unknown,
  { caller, createServer }: Listener,
): Promise<Response> {
  const leave = enterParked(ctx.feedNotifier, "subscriptions", caller, openMax);
  const uris = requestedUris(body);
  const updated: { send?: (uri: string) => void } = {};
  const watch = new AssetWatch(ctx, () => stillValid(ctx, caller), {
    onUpdate: (uri) => updated.send?.(uri),
    onEnd: () => void handler.close(),
  });
  const end = () => {
    leave();
    watch.close();
  };
  const handler = createMcpHandler(createServer, {
    legacy: "reject",
    bus: {
      publish() {},
      subscribe(listener) {
        updated.send = (uri) => listener({ kind: "resource_updated", uri });
        return end;
      },
    },
  });
  try {
    const parsedBody = uris ? withUris(body, await watch.add(uris)) : body;
    return await handler.fetch(request, { parsedBody });
  } finally {
    if (!updated.send) end(); // refused, or nothing to subscribe to
  }
}

async function stillValid(ctx: Context, caller: Caller): Promise<Caller> {
  if (await isStillAuthorized(caller, ctx)) return caller;
  throw new Problem(401, "This token is not valid. It was revoked or has expired.");
}

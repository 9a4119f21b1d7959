/**
 * Whether the process runs, and whether it can be sent work: what it needs answers, and it is not about to
 * stop.
 */
import { ulid } from "ulid";
import type { Context } from "../context.ts";
import { paths } from "../info.ts";
import { unavailable } from "../problem.ts";
import { probeKey } from "../stores/keys.ts";
import { whyNothingIsDeleted } from "../stores/owned-store.ts";
import type { RouteHandler } from "./plain-route.ts";

const fresh = { "cache-control": "no-store" };

/** Who asks twice within this time asks regularly. */
const regularMs = 30_000;

/** What was sent before somebody heard may still be on its way. */
const underwayMs = 500;

/** Tells whoever asks regularly, a proxy that sends work, that no more should come, before it is refused. */
export class Readiness {
  readonly #told = Promise.withResolvers<void>();
  #askedAt: [number, number] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  #stopping = false;

  get isStopping(): boolean {
    return this.#stopping;
  }

  check(): boolean {
    this.#askedAt = [this.#askedAt[1], performance.now()];
    if (this.#stopping) this.#told.resolve();
    return !this.#stopping;
  }

  /** Resolves when whoever asks regularly knows, or after so long; at once where nobody does. */
  async stop(patienceMs: number): Promise<void> {
    this.#stopping = true;
    if (performance.now() - this.#askedAt[0] > regularMs) return;
    await Promise.race([this.#told.promise, Bun.sleep(patienceMs - underwayMs)]);
    await Bun.sleep(underwayMs);
  }
}

/** What is worth knowing, and no reason to send work elsewhere. */
function detailsOf(stores: Pick<Context, "store" | "publicStore">): { details?: string[] } {
  const details = Object.entries({ asset: stores.store, public: stores.publicStore }).flatMap(
    ([name, store]) => {
      const owner = store?.lastOwner() ?? null;
      const why = owner && whyNothingIsDeleted(owner);
      return why ? [`${name} store: ${why}`] : [];
    },
  );
  return details.length > 0 ? { details } : {};
}

export function healthRoutes(
  { data, store, publicStore }: Context,
  readiness = new Readiness(),
): Record<string, RouteHandler> {
  let looking: Promise<unknown> | undefined;
  // What does not answer is a Problem 503; that there is no such object is an answer.
  const look = () =>
    Promise.all([data.head(), store?.stat(probeKey(ulid()))]).finally(() => (looking = undefined));
  return {
    [paths.health]: () => Response.json({ status: "ok" }, { headers: fresh }),
    async [paths.ready]() {
      if (!readiness.check()) throw unavailable("This process is shutting down.");
      // Anybody may ask, and as often as he likes: all who ask at once wait for one look.
      await (looking ??= look());
      if (data.isDamaged()) throw unavailable("The database is damaged.");
      return Response.json({ status: "ok", ...detailsOf({ store, publicStore }) }, { headers: fresh });
    },
  };
}

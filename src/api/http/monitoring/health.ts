/**
 * Health checks. `/healthz`: the process is running. `/readyz`: it can take requests, so the database and the
 * store respond and it is not shutting down.
 */
import { ulid } from "ulid";
import { paths } from "../../../core/info.ts";
import { unavailable } from "../../../core/problem.ts";
import { probeKey } from "../../../files/stores/keys.ts";
import { ownershipWarning } from "../../../files/stores/owned-store.ts";
import type { Context } from "../../context.ts";
import type { RouteHandler } from "../plain-route.ts";

const noStore = { "cache-control": "no-store" };

/** A client that checks twice within this time polls regularly, as load balancers do. */
const pollingMs = 30_000;

/** Requests sent before the load balancer saw the failed check may still arrive for this long. */
const inTransitMs = 500;

/** Graceful shutdown: fails the readiness check first, so that a load balancer stops sending requests. */
export class Readiness {
  readonly #noticed = Promise.withResolvers<void>();
  #checkedAt: [number, number] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  #stopping = false;

  get isStopping(): boolean {
    return this.#stopping;
  }

  /** One readiness check. @returns false if the process is shutting down */
  check(): boolean {
    this.#checkedAt = [this.#checkedAt[1], performance.now()];
    if (this.#stopping) this.#noticed.resolve();
    return !this.#stopping;
  }

  /**
   * Resolves once a polling client has seen a failed check, or after `timeoutMs`; immediately if none polls.
   */
  async stop(timeoutMs: number): Promise<void> {
    this.#stopping = true;
    if (performance.now() - this.#checkedAt[0] > pollingMs) return;
    await Promise.race([this.#noticed.promise, Bun.sleep(timeoutMs - inTransitMs)]);
    await Bun.sleep(inTransitMs);
  }
}

/** Warnings that do not make the process unready. */
function warningsOf(stores: Pick<Context, "store" | "publicStore">): { details?: string[] } {
  const details = Object.entries({ asset: stores.store, public: stores.publicStore }).flatMap(
    ([name, store]) => {
      const owner = store?.lastOwner() ?? null;
      const reason = owner && ownershipWarning(owner);
      return reason ? [`${name} store: ${reason}`] : [];
    },
  );
  return details.length > 0 ? { details } : {};
}

/** `/healthz`: the process; `/readyz`: database and stores. */
export function healthRoutes(
  { data, store, publicStore }: Context,
  readiness = new Readiness(),
): Record<string, RouteHandler> {
  let pendingCheck: Promise<unknown> | undefined;
  // Throws Problem 503 if the database or store is unavailable. A missing object is a normal response.
  const checkDependencies = () =>
    Promise.all([data.head(), store?.stat(probeKey(ulid()))]).finally(() => (pendingCheck = undefined));
  return {
    [paths.health]: () => Response.json({ status: "ok" }, { headers: noStore }),
    async [paths.ready]() {
      if (!readiness.check()) throw unavailable("This process is shutting down.");
      // The route is public and unlimited, so concurrent requests share one check.
      await (pendingCheck ??= checkDependencies());
      if (data.isDamaged()) throw unavailable("The database is damaged.");
      return Response.json({ status: "ok", ...warningsOf({ store, publicStore }) }, { headers: noStore });
    },
  };
}

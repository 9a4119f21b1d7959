/** `/metrics` in the Prometheus text format, for tokens that can read the feed of all projects. */
import { callerFrom } from "../../../core/auth/authentication.ts";
import { authorize } from "../../../core/auth/authorization.ts";
import { paths } from "../../../core/info.ts";
import { contentType } from "../../../core/lib/prometheus.ts";
import { forbidden } from "../../../core/problem.ts";
import { commit, version } from "../../../core/version.ts";
import type { Context } from "../../context.ts";
import type { RouteHandler } from "../plain-route.ts";

/** A scrape waits at most this long for an unresponsive database. */
const databaseTimeoutMs = 2_000;

export const metricsRoute = (ctx: Context): Record<string, RouteHandler> => ({
  async [paths.metrics](request) {
    const caller = await callerFrom(request.headers.get("authorization"), ctx.config, ctx.data, ctx.now());
    authorize(caller, "feed:read", ctx.config);
    if (caller.projects !== null)
      throw forbidden(
        "Metrics cover all projects, but this token is limited to some. Use one without a project limit.",
      );
    await updateGauges(ctx);
    return new Response(ctx.metrics.text(), {
      headers: {
        "content-type": contentType,
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
      },
    });
  },
});

/** Updates the metrics that are read at scrape time. */
async function updateGauges({ config, data, metrics, probe, now }: Context): Promise<void> {
  metrics.build.of(version, commit, config.databaseUrl.startsWith("sqlite:") ? "sqlite" : "postgres").set(1);
  metrics.started.of().set((Date.now() - performance.now()) / 1000);
  const { user, system } = process.cpuUsage();
  metrics.cpu.of().value = (user + system) / 1e6;
  metrics.resident.of().set(process.memoryUsage.rss());
  const { running, waiting } = probe.load();
  metrics.probesRunning.of().set(running);
  metrics.probesWaiting.of().set(waiting);
  const backlog = await Promise.race([
    data.backlog(now()).catch(() => null),
    Bun.sleep(databaseTimeoutMs).then(() => null),
  ]);
  metrics.databaseUp.of().set(backlog ? 1 : 0);
  if (!backlog) return;
  metrics.outboxRows.of().set(backlog.outbox);
  metrics.outboxAge.of().set(backlog.oldest === null ? 0 : Math.max(0, now() - backlog.oldest) / 1e6);
  metrics.uploadsReserved.of().set(backlog.uploads);
}

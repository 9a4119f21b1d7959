/** Checks the configuration, the connection to the database and the clock. */
import type { Config } from "../../core/config.ts";
import { dayMicros, secondMicros } from "../../core/lib/time.ts";
import type { Context } from "../context.ts";
import { type Finding, ok, warning, wrong } from "./finding.ts";

/** @param verifiesCertificates false if the environment turns the verification of TLS certificates off */
export function checkConfiguration(config: Config, verifiesCertificates: boolean): Finding[] {
  const findings: Finding[] = [];
  const isPublicHost = /^(0\.0\.0\.0|\[?::\]?)$/.test(config.host);
  if (config.siteIsDerived && isPublicHost)
    findings.push(warning("configuration", "links point to localhost; set SVC_SITE_URL to the public URL"));
  if (config.siteUrl.startsWith("http://") && !/\/\/(localhost|127\.|\[::1\])/.test(config.siteUrl))
    findings.push(
      warning("configuration", "tokens and session cookies are sent unencrypted; serve the site over HTTPS"),
    );
  if (!verifiesCertificates)
    findings.push(
      warning(
        "configuration",
        "TLS certificates of Postgres, S3 and GitHub are not verified; unset NODE_TLS_REJECT_UNAUTHORIZED",
      ),
    );
  if (Object.values(config.webhookSecrets).every((secrets) => secrets.length === 0))
    findings.push(
      warning(
        "configuration",
        "incoming webhooks are rejected; set SVC_GITHUB_WEBHOOK_SECRET or the secret of another forge",
      ),
    );
  if (Object.values(config.forgeApis).every(({ token }) => !token))
    findings.push(
      warning(
        "configuration",
        "rejections won't be posted; set SVC_GITHUB_TOKEN or the token of another forge",
      ),
    );
  const sharesDomain =
    typeof config.publicStore === "object" &&
    "bucket" in config.publicStore &&
    domainOf(config.publicBaseUrl) === domainOf(config.siteUrl);
  if (sharesDomain)
    findings.push(
      warning(
        "configuration",
        "published pages share the domain of the site; serve the public bucket from another domain",
      ),
    );
  return findings.length > 0 ? findings : [ok("configuration", "no problems")];
}

const domainOf = (url: string): string | undefined => URL.parse(url)?.hostname.split(".").slice(-2).join(".");

export const databaseName = ({ data }: Pick<Context, "data">): string =>
  data.connection ? "Postgres" : "SQLite";

export async function checkDatabase({ config, data }: Pick<Context, "config" | "data">): Promise<Finding[]> {
  const startedAt = performance.now();
  await data.head();
  const health = `migrated, responds in ${(performance.now() - startedAt).toFixed(1)} ms`;
  if (!data.connection) return [ok("database", `SQLite, ${health}`)];
  const { tls, isLocal, isPartitioned } = data.connection;
  const name = isPartitioned ? "Postgres with partitions" : "Postgres";
  if (config.postgresPartitions && !isPartitioned)
    return [
      warning(
        "database",
        "SVC_POSTGRES_PARTITIONS has no effect on a database that exists; restore a backup into a new one",
      ),
    ];
  if (isLocal || tls.startsWith("verify")) {
    const security = tls === "disable" ? "plain text on this machine" : `TLS ${tls}`;
    return [ok("database", `${name}, ${security}, ${health}`)];
  }
  const danger =
    tls === "require"
      ? "the certificate of the server is not verified"
      : "rows and the password may be sent unencrypted";
  return [
    warning(
      "database",
      `${name}, sslmode=${tls}, ${health}; ${danger}; ` +
        "remove sslmode from SVC_DATABASE_URL to use verify-full",
    ),
  ];
}

/** A wrong clock cannot reorder events, but sessions and signed URLs expire at the wrong time. */
export async function checkClock({ data, now }: Pick<Context, "data" | "now">): Promise<Finding[]> {
  const ahead = (await data.head()) - now();
  if (ahead > 600 * secondMicros)
    return [
      wrong(
        "clock",
        `${Math.round(ahead / secondMicros)} s behind the newest event; ` +
          "synchronize the system clock with NTP",
      ),
    ];
  if (now() < 1_700_000_000 * secondMicros || now() > 4_000_000_000 * secondMicros)
    return [wrong("clock", "wrong by years; synchronize the system clock with NTP")];
  return [
    ok(
      "clock",
      `not behind the newest event${ahead < -365 * dayMicros ? ", which is more than a year old" : ""}`,
    ),
  ];
}

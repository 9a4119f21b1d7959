/** Checks the digests by email: those that cannot be sent. */
import type { Context } from "../context.ts";
import { type Finding, ok, warning } from "./finding.ts";

const findingsMax = 5;

export async function checkEmail({ config, data }: Pick<Context, "config" | "data">): Promise<Finding[]> {
  const digests = await data.emailDigests();
  if (digests.length === 0) return [];
  if (!config.smtpUrl)
    return [warning("email", `${digests.length} digests are not sent; set SVC_SMTP_URL to your mail server`)];
  const failing = digests.filter(({ problem }) => problem !== null);
  if (failing.length === 0) return [ok("email", `digests: ${digests.length}`)];
  const shown = failing.slice(0, findingsMax).map(({ id, address, status, problem }) => {
    const fix =
      status === "paused"
        ? `fix it and run svc email send ${id}, or svc email remove ${id}`
        : "svc tries again";
    return warning(
      "email",
      `the digest to ${address} ${status === "paused" ? "is paused" : "failed"}: ${problem}; ${fix}`,
    );
  });
  const more = failing.length - shown.length;
  return more > 0 ? [...shown, warning("email", `${more} more digests fail; see svc email list`)] : shown;
}

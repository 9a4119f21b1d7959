/** Why a request had no answer, as a sentence without its URL: Bun's own messages repeat the URL. */
import { HostNotFound } from "./destination.ts";

const reasons: [code: RegExp, reason: string][] = [
  [/^ECONNREFUSED$/, "The receiver refused the connection. Check its host and port."],
  [/^E(HOST|NET)UNREACH$|^EADDRNOTAVAIL$/, "The receiver's network cannot be reached from this server."],
  [/^ECONNRESET$|^EPIPE$/, "The receiver closed the connection before it answered."],
  [/ALTNAME/, "The receiver's TLS certificate is for another name."],
  [/^CERT_HAS_EXPIRED$/, "The receiver's TLS certificate has expired."],
  [/CERT|SIGNATURE|ISSUER/, "The receiver's TLS certificate is not signed by a trusted authority."],
  [/^EPROTO$|SSL|TLS/, "The TLS handshake failed. Check that the receiver speaks https on this port."],
  [/HTTP|Header/i, "The receiver's answer is not valid HTTP."],
];

/** @param timeoutMs of the whole request */
export function reasonOf(error: unknown, timeoutMs: number): string {
  if (error instanceof HostNotFound) return error.message;
  const { name, code } = error as { name?: string; code?: unknown };
  if (name === "TimeoutError") return `The receiver did not answer within ${timeoutMs / 1000} s.`;
  if (name === "AbortError") return "The delivery was stopped: the server is shutting down.";
  return reasons.find(([pattern]) => pattern.test(String(code)))?.[1] ?? "The request failed.";
}

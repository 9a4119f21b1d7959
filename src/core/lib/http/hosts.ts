/** Hosts as they appear in URLs. */

/**
 * True for a host that only this machine can reach: a loopback name or IP address, with or without brackets.
 */
export const isLoopback = (host: string): boolean => /^(localhost|127(\.\d+){3}|\[?::1\]?)$/i.test(host);

/** The host for a URL; a wildcard address is not a destination, so it becomes `localhost`. */
export const urlHost = (host: string) =>
  host === "0.0.0.0" || host === "::" || host === "[::]"
    ? "localhost"
    : host.includes(":")
      ? `[${host}]`
      : host;

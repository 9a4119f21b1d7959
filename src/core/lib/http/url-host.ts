/** The host as it appears in a URL; a wildcard address is not a destination, so it becomes `localhost`. */
export const urlHost = (host: string) =>
  host === "0.0.0.0" || host === "::" || host === "[::]"
    ? "localhost"
    : host.includes(":")
      ? `[${host}]`
      : host;

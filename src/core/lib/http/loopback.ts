/**
 * True for a host that only this machine can reach: a loopback name or IP address, with or without brackets.
 */
export const isLoopback = (host: string): boolean => /^(localhost|127(\.\d+){3}|\[?::1\]?)$/i.test(host);

/**
 * HEAD runs as GET, so that every route supports both. A route can check `isHead` to skip reading a large
 * body.
 */

const headRequests = new WeakSet<Request>();

/** A GET request with the same URL and headers. */
export function asGet(request: Request): Request {
  // Of its URL as it is now, which is not always the one that was sent, see `takePathToken`.
  const { url, headers, signal } = request;
  const get = new Request(url, { headers, signal });
  headRequests.add(get);
  return get;
}

/** Whether the client sent HEAD. */
export const isHead = (request: Request): boolean => headRequests.has(request);

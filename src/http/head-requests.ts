/**
 * HEAD is asked as GET, so that whatever answers the one answers the other; who would read much for nothing
 * can tell.
 */

const asked = new WeakSet<Request>();

export function asGet(request: Request): Request {
  const get = new Request(request, { method: "GET" });
  asked.add(get);
  return get;
}

export const isHead = (request: Request): boolean => asked.has(request);

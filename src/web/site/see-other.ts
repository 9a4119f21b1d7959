/** The redirect after a form (RFC 9110, 15.4.4). */
export const seeOther = (location: string, headers: Record<string, string> = {}): Response =>
  new Response(null, { status: 303, headers: { ...headers, location, "cache-control": "no-store" } });

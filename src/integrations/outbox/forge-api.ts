/**
 * Requests to the APIs of forges: the only place that connects to one. The URL is the configured one, never
 * one from a row or a webhook, so a token is sent to its own host alone; redirects are not followed.
 */
import { type CallForge, PermanentError } from "./tracker.ts";

/** @param headers those that authenticate */
export const forgeApi =
  (baseUrl: string, headers: Record<string, string>, signal: AbortSignal): CallForge =>
  async (method, path, body) => {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      signal,
      redirect: "error",
      headers: {
        accept: "application/json",
        "user-agent": "svc",
        ...(body && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (response.ok) return response.json();
    await response.body?.cancel();
    const { status } = response;
    // 410 Gone and 422 Unprocessable never succeed. 401, 403 and 404 may: a token's permissions can change,
    // and forges answer 404 for a repository that the token cannot see.
    if (status === 410 || status === 422) throw new PermanentError(`${method} ${path} answered ${status}`);
    throw new Error(`${method} ${path} answered ${status}`);
  };

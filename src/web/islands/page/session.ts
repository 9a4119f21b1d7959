/** Calls operations from islands, with the CSRF token of the page. */

const csrf = (document.querySelector('meta[name="csrf"]') as HTMLMetaElement).content;

/** The service answered with an error. */
export class ResponseError extends Error {
  constructor(
    readonly status: number,
    detail: string,
  ) {
    super(detail);
  }
}

/** Calls an operation under `/web`. @throws Refused with the `detail` of the problem document */
export async function call<T>(method: string, path: string, body?: unknown, keepalive = false): Promise<T> {
  const response = await fetch(`/web${path}`, {
    method,
    keepalive,
    headers: { "x-csrf-token": csrf, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer = await response.json().catch(() => ({}));
  if (!response.ok)
    throw new ResponseError(response.status, (answer as { detail?: string }).detail ?? response.statusText);
  return answer as T;
}
